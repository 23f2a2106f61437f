-- works with 0003_organizations.sql
-- How far a file or a database was moved in: an import that was cut off goes on from there.
create table imports (
  source text primary key,
  position text not null,
  updated_at timestamptz(3) not null default now()
);
comment on table imports is 'one row for each source that is moved in by batches, written in the transaction of each batch';
comment on column imports.source is 'a digest that identifies the file, or the address of the database';
comment on column imports.position is 'the byte of the file or the moment of the database from which the next run reads';

-- The default is known without reading the table, so no session is written.
alter table sessions add column imported boolean not null default false;
comment on column sessions.imported is 'began at another service: a cookie that this one signed is accepted until one of ours is set';
create index sessions_imported_idx on sessions (expires_at) where imported;
