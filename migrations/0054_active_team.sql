-- works with 0003_organizations.sql
-- The active team of a session is always one of its user, in the active organization.
alter table sessions
  add column active_team_id text,
  add constraint sessions_active_team_id_fkey foreign key (active_team_id, user_id)
    references team_members (team_id, user_id) on delete set null (active_team_id)
    -- A member who joins has their teams at the end of the statement, which may make one of them active before.
    deferrable initially deferred;
create index sessions_active_team_id_idx on sessions (active_team_id) where active_team_id is not null;

create function leave_active_team() returns trigger language plpgsql as $$
begin
  new.active_team_id := null;
  return new;
end
$$;
create trigger sessions_active_team before update of active_organization_id on sessions
  for each row when (
    new.active_organization_id is distinct from old.active_organization_id
    and new.active_team_id is not null and new.active_team_id = old.active_team_id
  )
  execute function leave_active_team();
