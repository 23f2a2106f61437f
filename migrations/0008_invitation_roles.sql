-- works with 0003_organizations.sql
alter table invitations add column roles text[] not null default '{member}';
update invitations set roles = string_to_array(regexp_replace(role, '\s', '', 'g'), ',') where role <> 'member';
alter table invitations alter column roles drop default;
create trigger invitations_roles before insert or update of role, roles on invitations
  for each row execute function roles_follow_text();
comment on column invitations.role is 'the same as roles, comma-separated, for versions before them';
