-- works with 0003_organizations.sql
alter table trust_rules add column rotates text[];
comment on column trust_rules.rotates is 'the keys that its sessions may rotate; null: those that are not older than the rule';
