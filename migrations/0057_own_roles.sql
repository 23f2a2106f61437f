-- works with 0003_organizations.sql
-- The roles that an organization made for itself: name → id, permission, createdAt, updatedAt. They are in the row that
-- everybody locks who grants a role, so no role changes or ends while it is granted.
alter table organizations add column own_roles jsonb not null default '{}';
