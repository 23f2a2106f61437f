-- works with 0003_organizations.sql
alter table device_requests
  add column account_id text,
  add column proven_email text;
comment on column device_requests.account_id is 'the way in by which the person who approves proved who they are; null: none';
comment on column device_requests.proven_email is 'the address whose mailbox that person proved; null: none';
