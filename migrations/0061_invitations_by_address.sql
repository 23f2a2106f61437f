-- works with 0003_organizations.sql
-- All invitations to an address are found by the index that only found those that wait.
alter index invitations_to_email_idx rename to invitations_email_idx;
