-- works with 0003_organizations.sql
-- No foreign keys: a trail outlives the users and organizations that it tells of.
create table audit_events (
  id text primary key,
  event text not null,
  actor_id text,
  impersonator_id text,
  key_id text,
  is_server boolean not null default false,
  user_id text,
  organization_id text,
  target text,
  details jsonb not null default '{}',
  ip_address text,
  user_agent text,
  request_id text not null,
  created_at timestamptz(3) not null default now(),
  xid xid8 not null default pg_current_xact_id()
);
create index audit_events_created_at_idx on audit_events (created_at, id);
create index audit_events_event_idx on audit_events (event, created_at, id);
create index audit_events_user_id_idx on audit_events (user_id, created_at, id) where user_id is not null;
create index audit_events_actor_id_idx on audit_events (actor_id, created_at, id) where actor_id is not null;
create index audit_events_impersonator_id_idx on audit_events (impersonator_id, created_at, id) where impersonator_id is not null;
create index audit_events_organization_id_idx on audit_events (organization_id, created_at, id) where organization_id is not null;
create index audit_events_xid_idx on audit_events (xid);
comment on table audit_events is 'who did what to whom, written together with what it tells; append-only';
comment on column audit_events.actor_id is 'as whom it was done; null: nobody was signed in';
comment on column audit_events.impersonator_id is 'who really did it, acting as the actor';
comment on column audit_events.user_id is 'whom it concerns';
comment on column audit_events.target is 'what it was done to, where that is neither user nor organization: an id, or the name of a provider';
comment on column audit_events.details is 'role names, counts, reason codes: never an address or a secret';
comment on column audit_events.xid is 'the transaction that wrote it: who follows the trail misses none that commits late';

-- What happened cannot be changed. Only the sweep of what is older than the settings keep may delete, and says so.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('postern.audit_sweep', true) = 'on' then return old; end if;
  raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_not_truncated before truncate on audit_events
  for each statement execute function refuse_audit_change();
