-- works with 0003_organizations.sql
-- Who is in which team. The keys see to it that both belong to one organization, and that a row goes with either.
alter table teams add constraint teams_id_organization_id_key unique (id, organization_id);
create table team_members (
  team_id text not null,
  user_id text not null,
  organization_id text not null,
  created_at timestamptz(3) not null default now(),
  constraint team_members_pkey primary key (team_id, user_id),
  constraint team_members_team_id_fkey foreign key (team_id, organization_id)
    references teams (id, organization_id) on delete cascade,
  constraint team_members_user_id_fkey foreign key (organization_id, user_id)
    references members (organization_id, user_id) on delete cascade
);
create index team_members_user_id_idx on team_members (user_id, organization_id);
insert into team_members (team_id, user_id, organization_id)
  select m.team_id, m.user_id, m.organization_id
  from members m join teams t on t.id = m.team_id and t.organization_id = m.organization_id;

create function team_members_follow_members() returns trigger language plpgsql as $$
begin
  delete from team_members
  where user_id = new.user_id and organization_id = new.organization_id and team_id <> all (new.team_ids);
  insert into team_members (team_id, user_id, organization_id)
  select team_id, new.user_id, new.organization_id from unnest(new.team_ids) as team_id
  on conflict do nothing;
  return null;
end
$$;
create trigger members_joined_teams after insert on members
  for each row when (new.team_ids <> '{}') execute function team_members_follow_members();
create trigger members_changed_teams after update of team_id, team_ids on members
  for each row when (old.team_ids <> new.team_ids) execute function team_members_follow_members();

-- Before the team is deleted, so that everybody locks a member before their teams.
create function take_out_of_team() returns trigger language plpgsql as $$
begin
  update members m set team_ids = array_remove(m.team_ids, old.id)
  from team_members t
  where t.team_id = old.id and m.organization_id = t.organization_id and m.user_id = t.user_id;
  update invitations set team_ids = array_remove(team_ids, old.id)
  where organization_id = old.organization_id and old.id = any (team_ids);
  return old;
end
$$;
create trigger teams_left before delete on teams for each row execute function take_out_of_team();
