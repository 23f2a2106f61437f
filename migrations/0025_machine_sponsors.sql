-- works with 0003_organizations.sql
-- No foreign key: a machine whose sponsor is gone may do nothing until somebody adopts it, and never becomes a person.
alter table users
  add column sponsor_id text,
  add constraint users_sponsor_check check (sponsor_id is null or organization_id is not null);
comment on column users.sponsor_id is 'who is responsible for a machine: it may do no more than they may; null: a person';

update users u set sponsor_id = k.created_by from machine_keys k where u.organization_id is not null and k.user_id = u.id;
update users u set sponsor_id = t.created_by from trust_rules t where u.organization_id is not null and t.user_id = u.id;

-- Programs from before this name no sponsor: whoever makes a machine is the first.
create function name_first_sponsor() returns trigger language plpgsql as $$
begin
  update users set sponsor_id = new.created_by
  where id = new.user_id and organization_id is not null and sponsor_id is null;
  return null;
end
$$;
create trigger machine_keys_name_first_sponsor after insert on machine_keys
  for each row execute function name_first_sponsor();
create trigger trust_rules_name_first_sponsor after insert on trust_rules
  for each row execute function name_first_sponsor();
