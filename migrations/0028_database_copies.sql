-- works with 0003_organizations.sql
-- Which database this is. A copy (a restored dump, a cloned or replicated database) brings the rows along, but is another one:
-- what the original has to do, and where its readers are, is not for the copy.
create function database_identity() returns text language plpgsql stable as $$
declare
  cluster text := 'unknown';
begin
  -- Some managed servers let nobody read it.
  if has_function_privilege('pg_control_system()', 'execute') then
    select system_identifier::text into cluster from pg_control_system();
  end if;
  return concat_ws('/', cluster, (select oid from pg_database where datname = current_database()), 'outbox'::regclass::oid);
end
$$;

create table database_copies (
  number integer primary key,
  id text not null default gen_random_uuid()::text,
  identity text not null default database_identity(),
  xid xid8 not null default pg_current_xact_id(),
  noticed_at timestamptz(3) not null default now()
);
comment on table database_copies is 'the original and each copy that this database was made by, the newest being this one';
comment on column database_copies.identity is 'cluster, database and table, none of which a dump carries over';
comment on column database_copies.xid is 'what the row itself was written by, unless it was copied: tells where the cluster is unknown';
insert into database_copies (number) values (1);

create function current_copy() returns integer language sql stable as 'select max(number) from database_copies';
alter table audit_events add column copy integer not null default current_copy();
comment on column audit_events.copy is 'the database that wrote it: of another one its xid says nothing';

alter table outbox add column held_at timestamptz(3);
comment on column outbox.held_at is 'when it was parked because a copy of the database does not send what the original sends';
