-- works with 0003_organizations.sql
-- A request that is under way while a person is deleted writes its event afterwards, so a second pass goes through what
-- is new. Whoever cannot be done holds up nobody else.
alter table erasures
  add column after_at timestamptz(3) not null default '-infinity',
  add column due_at timestamptz(3) not null default now();
create index erasures_due_at_idx on erasures (due_at);
comment on table erasures is 'deleted people whose events have origins, or may still get some';
comment on column erasures.after_at is 'only later events are left: all others are done';
comment on column erasures.due_at is 'when the next pass may begin';

create or replace function erase_events(person text, most integer) returns integer language plpgsql as $$
declare
  place erasures;
  first record;
begin
  select * into place from erasures e where e.user_id = person for update;
  select e.created_at, e.id, count(*) over () as events into first
  from (
    select found.* from (
      (select a.created_at, a.id from audit_events a
        where a.user_id = person and a.created_at > place.after_at and (a.created_at, a.id) < (place.before_at, place.before_id)
        order by a.created_at desc, a.id desc limit most)
      union
      (select a.created_at, a.id from audit_events a
        where a.actor_id = person and a.created_at > place.after_at and (a.created_at, a.id) < (place.before_at, place.before_id)
        order by a.created_at desc, a.id desc limit most)
      union
      (select a.created_at, a.id from audit_events a
        where a.impersonator_id = person and a.created_at > place.after_at and (a.created_at, a.id) < (place.before_at, place.before_id)
        order by a.created_at desc, a.id desc limit most)
    ) found
    order by found.created_at desc, found.id desc
    limit most
  ) e
  order by e.created_at, e.id
  limit 1;

  perform set_config('postern.audit_erasure', 'on', true);
  -- Of what others did to them, the trail keeps where the others were.
  update audit_events
  set ip_address = null, user_agent = null, equality = null, details = details - 'label'
  where (impersonator_id = person or actor_id = person or user_id = person)
    and coalesce(impersonator_id, actor_id, user_id) = person
    and (ip_address is not null or user_agent is not null or equality is not null or details ? 'label')
    and (created_at, id) < (place.before_at, place.before_id) and (created_at, id) >= (first.created_at, first.id);
  perform set_config('postern.audit_erasure', 'off', true);

  if first.events = most then
    update erasures set before_at = first.created_at, before_id = first.id where user_id = person;
  elsif place.after_at > '-infinity' then
    delete from erasures where user_id = person;
  else
    -- No request takes as long. An event has the time at which its transaction began.
    update erasures set
      before_at = 'infinity', before_id = '',
      after_at = created_at - interval '10 minutes', due_at = now() + interval '10 minutes'
    where user_id = person;
  end if;
  return coalesce(first.events, 0);
end
$$;

-- Goes through the next `most` events of people who are due. Whoever has none counts as one, so that a call has an end.
-- `failures`: of people who are tried again later.
create function erase_due_people(most integer, out events integer, out failures text[]) language plpgsql as $$
declare
  person text;
begin
  events := 0;
  while events < most loop
    select e.user_id into person from erasures e
    where e.due_at <= now() order by e.due_at limit 1 for update skip locked;
    exit when not found;
    begin
      events := events + greatest(erase_events(person, most - events), 1);
    exception when others then
      failures := failures || format('%s: %s', person, sqlerrm);
      events := events + 1;
      update erasures set due_at = now() + interval '1 hour' where user_id = person;
    end;
  end loop;
end
$$;

create or replace function erase_deleted_people(most integer) returns integer language sql as $$
  select events from erase_due_people(most)
$$;

create or replace function erase_origins() returns trigger language plpgsql as $$
begin
  insert into erasures (user_id) values (old.id)
  on conflict (user_id) do update set
    before_at = excluded.before_at, before_id = excluded.before_id, created_at = excluded.created_at,
    after_at = excluded.after_at, due_at = excluded.due_at;
  perform erase_events(old.id, 2000);
  return null;
end
$$;
