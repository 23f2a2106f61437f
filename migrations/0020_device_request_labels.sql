-- works with 0003_organizations.sql
alter table device_requests add column label text;
comment on column device_requests.label is 'what the machine that asks calls itself';
