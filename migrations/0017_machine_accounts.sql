-- works with 0003_organizations.sql
-- A machine has neither a password nor an account at a provider: nobody signs in as one.
create function refuse_account_of_machine() returns trigger language plpgsql as $$
begin
  if exists (select from users where id = new.user_id and organization_id is not null) then
    raise exception 'accounts_person_check: a machine has no accounts' using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger accounts_person_check after insert or update of user_id on accounts
  for each row execute function refuse_account_of_machine();
