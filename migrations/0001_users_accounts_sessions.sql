create table users (
  id text primary key,
  email text not null,
  name text not null,
  email_verified boolean not null default false,
  image text,
  role text default 'user',
  banned boolean,
  ban_reason text,
  ban_expires timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint users_email_key unique (email),
  constraint users_email_check check (email = lower(email))
);

create table accounts (
  id text primary key,
  user_id text not null,
  provider_id text not null,
  account_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz(3),
  refresh_token_expires_at timestamptz(3),
  scope text,
  password text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint accounts_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint accounts_provider_id_account_id_key unique (provider_id, account_id)
);
create index accounts_user_id_idx on accounts (user_id);
create unique index accounts_user_id_key on accounts (user_id) where provider_id = 'credential';

create table sessions (
  id text primary key,
  user_id text not null,
  token_hash bytea not null,
  remembered boolean not null default true,
  expires_at timestamptz(3) not null,
  authenticated_at timestamptz(3) not null default now(),
  ip_address text,
  user_agent text,
  active_organization_id text,
  impersonated_by text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint sessions_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint sessions_token_hash_key unique (token_hash)
);
create index sessions_user_id_created_at_idx on sessions (user_id, created_at);
create index sessions_expires_at_idx on sessions (expires_at);
comment on column sessions.token_hash is 'SHA-256 of the token; the token itself is never stored';
comment on column sessions.authenticated_at is 'when a person last proved who they are; freshness counts from here';

create table rate_limits (
  key bytea primary key,
  count integer not null,
  expires_at timestamptz(3) not null
);
create index rate_limits_expires_at_idx on rate_limits (expires_at);
comment on column rate_limits.key is 'HMAC of scope and subject: no address and no email stands here';
