-- works with 0003_organizations.sql
-- One table in each of these files: who uses several waits for one of them at most, and never the other way round.
alter table members
  add column roles text[] not null default '{member}',
  alter column role drop default;
update members set roles = string_to_array(regexp_replace(role, '\s', '', 'g'), ',') where role <> 'member';
create trigger members_roles before insert or update of role, roles on members
  for each row execute function roles_follow_text();
comment on column members.role is 'the same as roles, comma-separated, for versions before them';
