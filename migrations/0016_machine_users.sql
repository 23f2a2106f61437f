-- works with 0003_organizations.sql
-- Locked in the order in which everybody locks them, so that nobody who uses both waits for this while it waits for them.
lock table organizations in share row exclusive mode;
alter table users
  add column organization_id text,
  add constraint users_organization_id_fkey foreign key (organization_id) references organizations (id) on delete cascade;
create index users_organization_id_idx on users (organization_id) where organization_id is not null;
comment on column users.organization_id is 'the organization whose machine this is, a member of it like others; null: a person';

-- A machine never becomes a person, nor a person a machine.
create function refuse_other_organization() returns trigger language plpgsql as $$
begin
  if new.organization_id is distinct from old.organization_id then
    raise exception 'users_machine_check: whose machine a user is never changes' using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger users_machine_check before update of organization_id on users
  for each row execute function refuse_other_organization();
