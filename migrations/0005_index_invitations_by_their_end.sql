-- works with 0003_organizations.sql
-- What ended long ago is swept, oldest first.
create index invitations_expires_at_idx on invitations (expires_at);
