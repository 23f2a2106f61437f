-- works with 0003_organizations.sql
-- Mails that were given up, and mails that are held, are counted without reading those that wait.
create index outbox_parked_at_idx on outbox (parked_at) where parked_at is not null;
create index outbox_held_at_idx on outbox (held_at) where held_at is not null;
