-- works with 0003_organizations.sql
alter table users add column language text;
comment on column users.language is 'in which mails and pages speak to the person (BCP 47); null for that which their requests ask for';
