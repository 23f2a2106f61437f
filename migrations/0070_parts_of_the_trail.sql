-- works with 0003_organizations.sql
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
