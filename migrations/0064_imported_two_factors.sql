-- works with 0003_organizations.sql
-- Nothing asks for them yet. They are kept as they came, encrypted with the secret of the other service.
create table imported_two_factors (
  id text primary key,
  user_id text not null,
  secret text not null,
  backup_codes text,
  created_at timestamptz(3) not null default now(),
  constraint imported_two_factors_user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
create index imported_two_factors_user_id_idx on imported_two_factors (user_id);
comment on table imported_two_factors is 'second factors of users who moved in, for the time when this service asks for one';
comment on column imported_two_factors.secret is 'encrypted with the secret of the other service, as are the backup codes';
