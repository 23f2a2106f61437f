-- works with 0003_organizations.sql
-- Whoever is deleted leaves the facts of the trail behind, under an id that names nobody any more, but not where and by which
-- device they were done. Invitations to them go too: to a mailbox that they never proved, only those that are answered.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('postern.audit_sweep', true) = 'on' then return old; end if;
  if tg_op = 'UPDATE' then
    if current_setting('postern.audit_erasure', true) = 'on'
      and new.ip_address is null and new.user_agent is null and new.equality is null and new.details = old.details - 'label'
      and to_jsonb(new) - array['ip_address', 'user_agent', 'equality', 'details']
        = to_jsonb(old) - array['ip_address', 'user_agent', 'equality', 'details']
    then return new; end if;
    if old.equality is not null and now() <= old.created_at + interval '1 minute'
      and new.count = old.count + 1
      and new.last_at between coalesce(old.last_at, old.created_at) and old.created_at + interval '1 minute'
      and new.xid = pg_current_xact_id()
      and to_jsonb(new) - array['count', 'last_at', 'xid'] = to_jsonb(old) - array['count', 'last_at', 'xid']
    then return new; end if;
  end if;
  raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege';
end
$$;

-- All invitations to an address are found, also those that are answered.
create index invitations_to_email_idx on invitations (email);
drop index invitations_email_idx;
create index webhooks_created_by_idx on webhooks (created_by);

create function erase_invitations() returns trigger language plpgsql as $$
begin
  delete from invitations i
  where i.email = old.email and (
    i.status <> 'pending'
    or exists (select from accounts a where a.user_id = old.id and a.proven_email = old.email)
  );
  return old;
end
$$;
create trigger users_erase_invitations before delete on users
  for each row when (old.organization_id is null) execute function erase_invitations();

-- Of what others did to them, the trail keeps where the others were.
create function erase_origins() returns trigger language plpgsql as $$
begin
  perform set_config('postern.audit_erasure', 'on', true);
  update audit_events
  set ip_address = null, user_agent = null, equality = null, details = details - 'label'
  where (impersonator_id = old.id or actor_id = old.id or user_id = old.id)
    and coalesce(impersonator_id, actor_id, user_id) = old.id;
  perform set_config('postern.audit_erasure', 'off', true);
  return null;
end
$$;
create trigger users_erase_origins after delete on users
  for each row when (old.organization_id is null) execute function erase_origins();
