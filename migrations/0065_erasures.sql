-- works with 0003_organizations.sql
-- Whoever has very many events is deleted within the time limit of a statement: the deletion takes the origins out of the newest
-- events, and the sweep out of the others.
create table erasures (
  user_id text primary key,
  before_at timestamptz(3) not null default 'infinity',
  before_id text not null default '',
  created_at timestamptz(3) not null default now()
);
comment on table erasures is 'deleted people whose events still have origins';
comment on column erasures.before_at is 'with before_id: the events from here on are done, all earlier ones are left';

-- Goes through the next `most` events by or about the person, and returns how many there were: fewer when all are done. Its
-- position keeps it from reading again what is done.
create function erase_events(person text, most integer) returns integer language plpgsql as $$
declare
  place erasures;
  first record;
begin
  select * into place from erasures e where e.user_id = person for update;
  select e.created_at, e.id, count(*) over () as events into first
  from (
    select found.* from (
      (select a.created_at, a.id from audit_events a
        where a.user_id = person and (a.created_at, a.id) < (place.before_at, place.before_id)
        order by a.created_at desc, a.id desc limit most)
      union
      (select a.created_at, a.id from audit_events a
        where a.actor_id = person and (a.created_at, a.id) < (place.before_at, place.before_id)
        order by a.created_at desc, a.id desc limit most)
      union
      (select a.created_at, a.id from audit_events a
        where a.impersonator_id = person and (a.created_at, a.id) < (place.before_at, place.before_id)
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
    and (created_at, id) < (place.before_at, place.before_id) and (created_at, id) >= (first.created_at, first.id);
  perform set_config('postern.audit_erasure', 'off', true);

  if first.events = most then
    update erasures set before_at = first.created_at, before_id = first.id where user_id = person;
  else
    delete from erasures where user_id = person;
  end if;
  return coalesce(first.events, 0);
end
$$;

-- Goes through the next `most` events of people who are deleted, and returns how many there were. Several processes take
-- different people.
create function erase_deleted_people(most integer) returns integer language plpgsql as $$
declare
  person text;
  events integer := 0;
begin
  while events < most loop
    select e.user_id into person from erasures e order by e.created_at limit 1 for update skip locked;
    exit when not found;
    events := events + erase_events(person, most - events);
  end loop;
  return events;
end
$$;

create or replace function erase_origins() returns trigger language plpgsql as $$
begin
  insert into erasures (user_id) values (old.id)
  on conflict (user_id) do update set before_at = excluded.before_at, before_id = excluded.before_id;
  perform erase_events(old.id, 2000);
  return null;
end
$$;
