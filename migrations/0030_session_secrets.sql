-- works with 0003_organizations.sql
alter table sessions add column secret_label bytea;
comment on column sessions.secret_label is 'which secret signed its cookie last, see README on changing it; null: unknown, so an older one';
