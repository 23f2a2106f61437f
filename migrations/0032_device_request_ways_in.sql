-- works with 0003_organizations.sql
alter table device_requests
  add column account_id text,
  add column address_proven boolean not null default false;
comment on column device_requests.account_id is 'the way in by which the person who approves proved who they are; null: none';
comment on column device_requests.address_proven is 'whether that person proved the mailbox of the user''s present address';
