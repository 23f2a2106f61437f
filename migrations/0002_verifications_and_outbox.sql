create table verifications (
  id text primary key,
  user_id text,
  identifier text not null,
  value text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint verifications_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint verifications_identifier_key unique (identifier)
);
create index verifications_user_id_idx on verifications (user_id);
create index verifications_expires_at_idx on verifications (expires_at);
comment on column verifications.identifier is 'purpose, then the SHA-256 of the token; the token itself is never stored';

create table outbox (
  id text primary key,
  kind text not null,
  payload bytea not null,
  user_id text,
  verification_id text,
  link_seconds integer,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  parked_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default now(),
  constraint outbox_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint outbox_verification_id_fkey foreign key (verification_id) references verifications (id) on delete cascade
);
create index outbox_user_id_idx on outbox (user_id);
create index outbox_verification_id_idx on outbox (verification_id);
create index outbox_next_attempt_at_idx on outbox (next_attempt_at) where parked_at is null;
create index outbox_created_at_idx on outbox (created_at);
comment on table outbox is 'mails to be sent; a row is deleted when its mail was sent';
comment on column outbox.payload is 'encrypted under a key of its own: addresses and tokens are not readable here';
comment on column outbox.link_seconds is 'life of the link, counted from the sending';
