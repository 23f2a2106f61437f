-- works with 0003_organizations.sql
-- A member can be in several teams. The first one stays beside the list for a version that still runs, or starts again, and
-- knows nothing else: each of the two follows the other.
create function team_ids_follow_team_id() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.team_ids = '{}' then new.team_ids := array[new.team_id]; end if;
  elsif new.team_id is distinct from old.team_id and new.team_ids = old.team_ids then
    new.team_ids := array_remove(array_remove(old.team_ids, old.team_id), new.team_id);
    if new.team_id is not null then new.team_ids := new.team_id || new.team_ids; end if;
  end if;
  new.team_id := new.team_ids[1];
  return new;
end
$$;

alter table members add column team_ids text[] not null default '{}';
update members m set team_ids = array[t.id] from teams t where t.id = m.team_id and t.organization_id = m.organization_id;
create trigger members_team_ids before insert or update of team_id, team_ids on members
  for each row when (new.team_id is not null or new.team_ids <> '{}') execute function team_ids_follow_team_id();
comment on column members.team_ids is 'in the order of joining; each of them has a row in team_members';
comment on column members.team_id is 'the first of team_ids, for versions before them';
