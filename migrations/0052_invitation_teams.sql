-- works with 0003_organizations.sql
alter table invitations add column team_ids text[] not null default '{}';
update invitations set team_ids = array[team_id] where team_id is not null;
create trigger invitations_team_ids before insert or update of team_id, team_ids on invitations
  for each row when (new.team_id is not null or new.team_ids <> '{}') execute function team_ids_follow_team_id();
comment on column invitations.team_id is 'the first of team_ids, for versions before them';
