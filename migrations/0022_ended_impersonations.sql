-- works with 0003_organizations.sql
-- However a session ends in which somebody acts as somebody else (its time, the administrator's own session, a ban), the trail
-- says so once. Deferred: what the transaction itself told of it, as one that stops it does, is seen and not told again.
create function tell_ended_impersonation() returns trigger language plpgsql as $$
begin
  insert into audit_events (id, event, actor_id, impersonator_id, user_id, details, request_id)
  select gen_random_uuid()::text, 'impersonation-ended', old.user_id, old.impersonated_by, old.user_id,
    jsonb_build_object('reason', case when old.expires_at <= now() then 'expired' else 'ended' end), 'none'
  where not exists (
    select from audit_events
    where xid = pg_current_xact_id() and event = 'impersonation-ended' and request_id <> 'none'
      and user_id = old.user_id and impersonator_id = old.impersonated_by
  );
  return null;
end
$$;
create constraint trigger sessions_tell_ended_impersonation after delete on sessions
  deferrable initially deferred for each row when (old.impersonated_by is not null)
  execute function tell_ended_impersonation();
