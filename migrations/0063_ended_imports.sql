-- works with 0003_organizations.sql
-- A session that moved in and was ended here must not come back with the next run of the import.
create table ended_imports (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null default now() + interval '400 days'
);
create index ended_imports_expires_at_idx on ended_imports (expires_at);
comment on table ended_imports is 'sessions that moved in and were ended before their time, so that no later import brings them again';
comment on column ended_imports.expires_at is 'no session lives longer, also where the other service goes on extending it';

create function note_ended_import() returns trigger language plpgsql as $$
begin
  insert into ended_imports (token_hash) values (old.token_hash) on conflict do nothing;
  return null;
end $$;
create trigger sessions_note_ended_import after delete on sessions
  for each row when (old.imported and old.expires_at > now()) execute function note_ended_import();
