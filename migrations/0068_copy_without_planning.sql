-- works with 0003_organizations.sql
-- Each event asks for it. Up to PostgreSQL 17 a function in SQL is planned anew in every statement that calls it, which
-- took longer than to store the event. The plan of one in PL/pgSQL is kept.
create or replace function current_copy() returns integer language plpgsql stable as $$
begin
  return (select max(number) from database_copies);
end
$$;
