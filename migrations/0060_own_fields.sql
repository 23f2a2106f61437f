-- works with 0003_organizations.sql
-- Fields of the application's own, which the configuration declares: those that it no longer declares stay.
alter table users add column fields jsonb not null default '{}';
alter table organizations add column fields jsonb not null default '{}';
create index users_fields_idx on users using gin (fields jsonb_path_ops) where fields <> '{}';
comment on column users.fields is 'the values of userFields by name, none of them null';
comment on column organizations.fields is 'the values of organizationFields by name, none of them null';
