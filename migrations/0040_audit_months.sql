-- works with 0003_organizations.sql
-- The trail by month. `audit_events` takes the events of now; when the month is over it becomes the table of that month, and a
-- new one takes its name and is inherited by it, so that the name still reads the whole trail. Retention drops whole tables.
-- Inheritance, since a unique index of declarative partitions has to hold the key of the partitions: equal acts of a minute
-- have different times, and every version joins them `on conflict (equality)`.
-- A later migration that changes columns of `audit_events` changes those of its months; indexes and triggers it has to make on
-- each of them.

-- What `create table (like …)` leaves out, as statements that make it on the table that has the name by then.
create function audit_table_parts() returns setof text language sql stable as $$
  select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = 'audit_events'::regclass
  union all
  select format('alter table audit_events add constraint %1$I primary key using index %1$I', c.conname)
  from pg_constraint c where c.conrelid = 'audit_events'::regclass and c.contype = 'p'
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = 'audit_events'::regclass and not t.tgisinternal
  union all
  select format('comment on table audit_events is %L', obj_description('audit_events'::regclass, 'pg_class'))
  union all
  select format('alter table audit_events owner to %s', c.relowner::regrole)
  from pg_class c where c.oid = 'audit_events'::regclass
  union all
  select format('grant %s on audit_events to %s', a.privilege_type, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end)
    || case when a.is_grantable then ' with grant option' else '' end
  from pg_class c cross join aclexplode(c.relacl) a where c.oid = 'audit_events'::regclass and a.grantee <> c.relowner
$$;

-- Ends the month that is over, and returns the name of its table. Null: none is over, another process is doing it, or somebody
-- uses the tables for longer than everybody else should wait; then a later call does it.
create function close_audit_month() returns text language plpgsql set lock_timeout = '200ms' as $$
declare
  began timestamptz;
  month text;
  parts text[];
  earlier regclass[];
  item record;
begin
  if not pg_try_advisory_xact_lock(4100002) then return null; end if;
  select min(e.created_at) into began from only audit_events e;
  if began is null or date_trunc('month', began, 'UTC') >= date_trunc('month', now(), 'UTC') then return null; end if;
  month := 'audit_events_' || to_char(began at time zone 'UTC', 'YYYY_MM');
  while to_regclass(month) is not null loop month := month || '_more'; end loop;

  -- Whoever writes an event is waited for, and sees the new table.
  lock table only audit_events in access exclusive mode;
  parts := array(select audit_table_parts());
  earlier := array(select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'audit_events'::regclass);
  for item in
    select c.oid::regclass as index, c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
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

-- Drops each month whose last event is older than what is kept, and returns the names of their tables. A month that somebody
-- uses for long is dropped by a later call.
create function drop_audit_months(kept interval) returns setof text language plpgsql set lock_timeout = '200ms' as $$
declare
  past text;
  newest timestamptz;
begin
  if not pg_try_advisory_xact_lock(4100002) then return; end if;
  for past in select i.inhrelid::regclass::text from pg_inherits i where i.inhparent = 'audit_events'::regclass order by 1 loop
    execute format('select max(created_at) from %s', past) into newest;
    -- Its last event may count equal acts of the minute after it.
    continue when newest >= now() - kept - interval '1 minute';
    begin
      execute format('drop table %s', past);
      return next past;
    exception when lock_not_available then null;
    end;
  end loop;
end
$$;
