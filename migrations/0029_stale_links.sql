-- works with 0003_organizations.sql
alter table device_requests add column is_denied_as_stale boolean not null default false;
comment on column device_requests.is_denied_as_stale is 'a link: who asked had signed in too long ago';
