-- works with 0003_organizations.sql
alter table device_requests
  add column linker_id text,
  add column linker_session_id text,
  add column linked_account_id text,
  add constraint device_requests_linker_id_fkey foreign key (linker_id) references users (id) on delete cascade,
  add constraint device_requests_linker_check check ((linker_id is null) = (linker_session_id is null)),
  add constraint device_requests_linked_check
    check (linker_id is null or (status = 'approved') = (linked_account_id is not null)),
  add constraint device_requests_own_linker_check
    check (linked_account_id is null or (user_id is not null and user_id = linker_id));
create index device_requests_linker_id_idx on device_requests (linker_id) where linker_id is not null;
comment on column device_requests.linker_id is 'to whom an account at the provider shall be linked; null: a sign-in is asked for';
comment on column device_requests.linker_session_id is 'the session that asks for the link: it has to live until that is made';
comment on column device_requests.linked_account_id is 'the account that was linked';
