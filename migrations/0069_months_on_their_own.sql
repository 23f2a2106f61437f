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
    select c.oid::regclass as index,
      case when starts_with(c.relname, 'audit_events') then '' else 'audit_events_' end || c.relname as name
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'audit_events'::regclass
  loop execute format('alter index %s rename to %I', item.index, replace(item.name, 'audit_events', month)); end loop;
  execute format('alter table audit_events rename to %I', month);
  execute format('create table audit_events (like %I including all excluding indexes)', month);
  for item in select part from unnest(parts) part loop execute item.part; end loop;
  for item in select past from unnest(earlier) past loop
    execute format('alter table %s no inherit %I, inherit audit_events', item.past, month);
  end loop;
  execute format('alter table %I inherit audit_events', month);
  return month;
exception when lock_not_available then return null;
end
$$;

-- Drops a past month if its last event is older than what is kept. False: it is not, another process is at the months, or
-- somebody uses it for longer than everybody else should wait. One month a transaction: those that need the trail wait for no
-- other one. `drop_audit_months` stays for versions that call it.
create function drop_audit_month(past text, kept interval) returns boolean language plpgsql set lock_timeout = '200ms' as $$
declare
  newest timestamptz;
begin
  if not pg_try_advisory_xact_lock(4100003) then return false; end if;
  perform from pg_inherits i where i.inhrelid = to_regclass(past) and i.inhparent = 'audit_events'::regclass;
  if not found then return false; end if;
  execute format('select max(created_at) from %s', past) into newest;
  -- Its last event may count equal acts of the minute after it.
  if newest >= now() - kept - interval '1 minute' then return false; end if;
  execute format('drop table %s', past);
  return true;
exception when lock_not_available then return false;
end
$$;
