-- works with 0003_organizations.sql
-- Roles are lists. The text stays beside them for a version that still runs, or starts again, and knows nothing else: each of
-- the two follows the other. A later migration takes text, triggers and function away.
create function roles_follow_text() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- Who knows of the list leaves the text out, which has no default any more.
    if new.role is null then new.role := array_to_string(new.roles, ',');
    else new.roles := string_to_array(regexp_replace(new.role, '\s', '', 'g'), ',');
    end if;
  elsif new.roles is distinct from old.roles then new.role := array_to_string(new.roles, ',');
  else new.roles := string_to_array(regexp_replace(new.role, '\s', '', 'g'), ',');
  end if;
  return new;
end
$$;

-- Most have the default, which needs no row to be written: nobody waits long.
alter table users
  add column roles text[] default '{user}',
  alter column role drop default;
update users set roles = string_to_array(regexp_replace(role, '\s', '', 'g'), ',') where role is distinct from 'user';
create trigger users_roles before insert or update of role, roles on users
  for each row execute function roles_follow_text();
comment on column users.role is 'the same as roles, comma-separated, for versions before them';
