-- works with 0003_organizations.sql
-- A deleted organization would take its teams before its members, and each team would take its members out of itself: the
-- second time a row is changed its reference to the organization is checked, which is gone. So whoever names teams goes first.
create function empty_organization() returns trigger language plpgsql as $$
begin
  delete from members where organization_id = old.id;
  delete from invitations where organization_id = old.id;
  return old;
end
$$;
create trigger organizations_emptied before delete on organizations for each row execute function empty_organization();
