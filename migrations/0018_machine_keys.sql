-- works with 0003_organizations.sql
-- What belongs to an organization goes with it, since its machine users do.
create table machine_keys (
  id text primary key,
  name text not null,
  user_id text not null,
  organization_id text,
  scopes text[],
  ip_ranges text[] not null default '{}',
  hint text not null,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  last_used_ip text,
  constraint machine_keys_user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
create index machine_keys_user_id_idx on machine_keys (user_id, created_at);
create index machine_keys_organization_id_idx on machine_keys (organization_id, created_at) where organization_id is not null;
create index machine_keys_expires_at_idx on machine_keys (expires_at);
comment on column machine_keys.user_id is 'as whom it acts: a person, or a machine user of the organization';
comment on column machine_keys.scopes is 'all that it may be used for; null: whatever a key may do and its roles allow';
comment on column machine_keys.hint is 'the last letters of the newest secret';

create table machine_key_secrets (
  hash bytea primary key,
  key_id text not null,
  ends_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint machine_key_secrets_key_id_fkey foreign key (key_id) references machine_keys (id) on delete cascade
);
create index machine_key_secrets_key_id_idx on machine_key_secrets (key_id);
create unique index machine_key_secrets_newest_key on machine_key_secrets (key_id) where ends_at is null;
create index machine_key_secrets_ends_at_idx on machine_key_secrets (ends_at) where ends_at is not null;
comment on column machine_key_secrets.hash is 'SHA-256 of the key; the key itself is never stored';
comment on column machine_key_secrets.ends_at is 'null: the newest, which lives as long as its key';

create table trust_rules (
  id text primary key,
  name text not null,
  user_id text not null,
  organization_id text not null,
  issuer text not null,
  audience text not null,
  claims jsonb not null,
  pin text not null,
  expires_in integer not null,
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint trust_rules_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint trust_rules_claims_check check (jsonb_typeof(claims) = 'object' and claims <> '{}')
);
create index trust_rules_user_id_idx on trust_rules (user_id);
create index trust_rules_organization_id_idx on trust_rules (organization_id, created_at);
create index trust_rules_issuer_pin_idx on trust_rules (issuer, pin);
comment on table trust_rules is 'whose id tokens sign in as a machine user of an organization (RFC 8693)';
comment on column trust_rules.pin is 'one of the claims, as name=value: by it the rules for a token are found';
comment on column trust_rules.expires_in is 'seconds for which such a session lives';
