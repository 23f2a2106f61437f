-- works with 0003_organizations.sql
alter table machine_keys add column rotates_itself boolean not null default false;
comment on column machine_keys.rotates_itself is 'whether its newest secret may give it another one';
