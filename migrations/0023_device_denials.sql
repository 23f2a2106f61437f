-- works with 0003_organizations.sql
alter table device_requests add column is_denied_by_provider boolean not null default false;
comment on column device_requests.is_denied_by_provider is 'a link: the provider said no, not our own page';
