-- works with 0003_organizations.sql
-- What somebody built on one month of the trail, such as a view, kept all months from being dropped; an index of their own, whose
-- name does not begin with that of the trail, kept all months from ending.
create or replace function close_audit_month() returns text language plpgsql set lock_timeout = '200ms' as $$
declare
  began timestamptz;
  month text;
  parts text[];
  earlier regclass[];
  item record;
begin
  if not pg_try_advisory_xact_lock(4100003) then return null; end if;
  select min(e.created_at) into began from only audit_events e;
  if began is null or date_trunc('month', began, 'UTC') >= date_trunc('month', now(), 'UTC') then return null; end if;
  month := 'audit_events_' || to_char(began at time zone 'UTC', 'YYYY_MM');
  while to_regclass(month) is not null loop month := month || '_more'; end loop;

  -- Whoever writes an event is waited for, and sees the new table.
  lock table only audit_events in access exclusive mode;
  parts := array(select audit_table_parts());
  earlier := array(select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'audit_events'::regclass);
  for item in
    select i.indexrelid::regclass as index, month || '_' || regexp_replace(c.relname, '^audit_events_', '') as name
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'audit_events'::regclass
  loop
    -- The server would cut long names, so that two could be one.
    if octet_length(item.name) > 63 then item.name := left(item.name, 40) || '_' || left(md5(item.name), 16); end if;
    execute format('alter index %s rename to %I', item.index, item.name);
  end loop;
  execute format('alter table audit_events rename to %I', month);
  execute format('create table audit_events (like %I including all excluding indexes)', month);
  -- Default privileges may give what was revoked from the old table.
  for item in
    select distinct case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as who
    from pg_class c cross join aclexplode(c.relacl) a where c.oid = to_regclass('audit_events') and a.grantee <> c.relowner
  loop execute format('revoke all on audit_events from %s', item.who); end loop;
  for item in select part from unnest(parts) part loop execute item.part; end loop;
  for item in select past from unnest(earlier) past loop
    execute format('alter table %s no inherit %I, inherit audit_events', item.past, month);
  end loop;
  execute format('alter table %I inherit audit_events', month);
  return month;
exception when lock_not_available then return null;
end
$$;

create function is_audit_month(past text) returns boolean language sql volatile as $$
  select exists (select from pg_inherits i where i.inhrelid = to_regclass(past) and i.inhparent = to_regclass('audit_events'))
$$;

-- Drops a past month if its last event is older than what is kept. False: it is not, another process is at the months, or
-- somebody uses it for longer than everybody else should wait. One month a transaction: those that need the trail wait for no
-- other one. `drop_audit_months` stays for versions that call it. Without `row_security`, events that a policy hides from the
-- service would count as none.
create function drop_audit_month(past text, kept interval) returns boolean language plpgsql
set lock_timeout = '200ms' set row_security = off as $$
declare
  newest timestamptz;
begin
  if not pg_try_advisory_xact_lock(4100003) or not is_audit_month(past) then return false; end if;
  execute format('select max(created_at) from %s', past) into newest;
  -- Its last event may count equal acts of the minute after it.
  if newest >= now() - kept - interval '1 minute' then return false; end if;
  execute format('lock table %s in access exclusive mode', past);
  -- Somebody may have taken it out of the trail meanwhile, to keep it.
  if not is_audit_month(past) then return false; end if;
  execute format('drop table %s', past);
  return true;
exception when lock_not_available then return false;
end
$$;

-- At the end of a month the new table of the trail lost what operators had set for the old one: who was shown some rows by a policy
-- then saw all, and who was granted some columns saw nothing.
create or replace function audit_table_parts() returns setof text language sql stable as $$
  select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = 'audit_events'::regclass
  union all
  select format('alter table audit_events add constraint %1$I primary key using index %1$I', c.conname)
  from pg_constraint c where c.conrelid = 'audit_events'::regclass and c.contype = 'p'
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = 'audit_events'::regclass and not t.tgisinternal
  union all
  select format('comment on table audit_events is %L', obj_description('audit_events'::regclass, 'pg_class'))
  union all
  select format('alter table audit_events set (%s)', array_to_string(c.reloptions, ', '))
  from pg_class c where c.oid = 'audit_events'::regclass and c.reloptions is not null
  union all
  select format('create policy %I on audit_events as %s for %s to %s', p.policyname, p.permissive, p.cmd,
      (select string_agg(case when r = 'public' then r else quote_ident(r) end, ', ') from unnest(p.roles) r))
    || coalesce(' using (' || p.qual || ')', '') || coalesce(' with check (' || p.with_check || ')', '')
  from pg_policies p
  join pg_class c on c.oid = 'audit_events'::regclass and c.relname = p.tablename and c.relnamespace::regnamespace::text = quote_ident(p.schemaname)
  union all
  select 'alter table audit_events enable row level security' from pg_class c where c.oid = 'audit_events'::regclass and c.relrowsecurity
  union all
  select 'alter table audit_events force row level security' from pg_class c where c.oid = 'audit_events'::regclass and c.relforcerowsecurity
  union all
  select format('alter table audit_events owner to %s', c.relowner::regrole)
  from pg_class c where c.oid = 'audit_events'::regclass
  union all
  select format('grant %s on audit_events to %s', g.what, case when g.grantee = 0 then 'public' else g.grantee::regrole::text end)
    || case when g.is_grantable then ' with grant option' else '' end
  from (
    select a.privilege_type as what, a.grantee, a.is_grantable
    from pg_class c cross join aclexplode(c.relacl) a where c.oid = 'audit_events'::regclass and a.grantee <> c.relowner
    union all
    select format('%s (%I)', a.privilege_type, t.attname), a.grantee, a.is_grantable
    from pg_attribute t cross join aclexplode(t.attacl) a where t.attrelid = 'audit_events'::regclass and not t.attisdropped
  ) g
$$;
