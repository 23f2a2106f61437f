-- works with 0003_organizations.sql
create table device_requests (
  id text primary key,
  device_code_hash bytea not null,
  user_code_mac bytea not null,
  client_id text not null,
  scope text not null default '',
  provider text,
  code_challenge text,
  redirect_uri text,
  redirect_state text,
  redirect_code_hash bytea,
  ip_address text not null,
  user_agent text not null,
  claim bytea,
  user_id text,
  proven_at timestamptz(3),
  status text not null default 'pending',
  poll_interval integer not null default 5,
  last_polled_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  constraint device_requests_device_code_hash_key unique (device_code_hash),
  constraint device_requests_user_code_mac_key unique (user_code_mac),
  constraint device_requests_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint device_requests_status_check check (status in ('pending', 'approved', 'denied')),
  constraint device_requests_approved_check check (status <> 'approved' or (user_id is not null and claim is not null))
);
create index device_requests_claim_idx on device_requests (claim) where claim is not null;
create index device_requests_user_id_idx on device_requests (user_id);
create index device_requests_expires_at_idx on device_requests (expires_at);
comment on table device_requests is 'sign-ins that are finished in a browser (RFC 8628)';
comment on column device_requests.device_code_hash is 'SHA-256 of the secret that is polled with; the secret itself is never stored';
comment on column device_requests.user_code_mac is 'HMAC of what people type: too short for a plain hash';
comment on column device_requests.claim is 'SHA-256 of what the first viewer has: the secret of a cookie, or a session';
comment on column device_requests.proven_at is 'when the person who approves proved who they are; freshness counts from here';
