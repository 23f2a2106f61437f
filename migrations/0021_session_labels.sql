-- works with 0003_organizations.sql
alter table sessions add column label text;
comment on column sessions.label is 'what its machine called itself when it began: said by who asked, and proof of nothing';
