-- works with 0003_organizations.sql
-- A table of its own in each of these files: who uses both waits for one of them at most.
alter table sessions
  add column impersonator_session_id text,
  add constraint sessions_impersonator_session_id_fkey
    foreign key (impersonator_session_id) references sessions (id) on delete cascade,
  add constraint sessions_impersonator_check check (impersonator_session_id is null or impersonated_by is not null);
create index sessions_impersonator_session_id_idx on sessions (impersonator_session_id)
  where impersonator_session_id is not null;
create index sessions_impersonated_by_idx on sessions (impersonated_by) where impersonated_by is not null;
comment on column sessions.impersonator_session_id is 'the administrator''s own session: acting as somebody ends with it';

-- Whichever way somebody signs in after a ban is over, nothing is left of it.
create function lift_ended_ban() returns trigger language plpgsql as $$
begin
  update users set banned = false, ban_reason = null, ban_expires = null, updated_at = now()
  where id = new.user_id and banned and ban_expires <= now();
  return null;
end
$$;
create trigger sessions_lift_ended_ban after insert on sessions
  for each row execute function lift_ended_ban();
