-- works with 0003_organizations.sql
alter table sessions add column trust_id text;
comment on column sessions.trust_id is 'the trust rule by which a machine signed in; null: a person did';
