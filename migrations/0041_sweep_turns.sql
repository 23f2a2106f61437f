-- works with 0003_organizations.sql
-- All processes together sweep no more than a small part of the time: they take turns, and each leaves the database a rest.
create table sweep_turns (
  id text primary key,
  due_at timestamptz not null
);
comment on column sweep_turns.due_at is 'when the next turn may begin; while one is taken, when it is given up';
