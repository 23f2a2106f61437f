-- works with 0003_organizations.sql
-- Where the audit trail is told to, by HTTP. A webhook follows the trail by a cursor of its own; no event is copied.
create table webhooks (
  id text primary key,
  organization_id text,
  url text not null,
  events text[],
  paused boolean not null default false,
  secret bytea not null,
  previous_secret bytea,
  previous_ends_at timestamptz(3),
  cursor text not null,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  failing_since timestamptz(3),
  attempts integer not null default 0,
  last_error text,
  parked_at timestamptz(3),
  next_at timestamptz(3) default now(),
  lease text,
  has_news boolean not null default true,
  constraint webhooks_organization_id_fkey foreign key (organization_id) references organizations (id) on delete cascade
);
create index webhooks_organization_id_idx on webhooks (organization_id, created_at);
create index webhooks_next_at_idx on webhooks (next_at) where next_at is not null and parked_at is null and not paused;
comment on column webhooks.organization_id is 'whose events it is told; null: the operator''s, which is told every event';
comment on column webhooks.events is 'names or groups of events; null: all';
comment on column webhooks.secret is 'signs what is sent; encrypted under the id';
comment on column webhooks.cursor is 'how far it has come in the trail: what was delivered is behind it';
comment on column webhooks.next_at is 'when the next attempt is due, or the lease of the process that sends ends; null: no news';
comment on column webhooks.has_news is 'events were written that no process has looked at for it';

-- How far the trail was looked through for webhooks that have news: one row, which one process updates at a time.
create table webhook_feed (
  id text primary key,
  copy text not null default '',
  seen text not null default '',
  constraint webhook_feed_id_check check (id = 'feed')
);
insert into webhook_feed (id) values ('feed');
comment on column webhook_feed.copy is 'the database whose transactions it counts by; of another copy it says nothing';
