-- works with 0003_organizations.sql
-- What the statement timeout ended was undone for everybody who was done by it, and began again with the same person each time. So
-- a call goes in small steps, ends soon, and puts off whoever takes too long: OTHERS alone does not catch that.
create or replace function erase_due_people(most integer, out events integer, out failures text[]) language plpgsql as $$
declare
  person text;
begin
  events := 0;
  while events < most loop
    -- As if all were done, so that the next call comes soon.
    if clock_timestamp() > statement_timestamp() + interval '500 milliseconds' then events := most; return; end if;
    select e.user_id into person from erasures e
    where e.due_at <= now() order by e.due_at limit 1 for update skip locked;
    exit when not found;
    begin
      events := events + greatest(erase_events(person, least(most - events, 100)), 1);
    exception when query_canceled or others then
      failures := failures || format('%s: %s', person, sqlerrm);
      events := events + 1;
      update erasures set due_at = now() + interval '1 hour' where user_id = person;
    end;
  end loop;
end
$$;
