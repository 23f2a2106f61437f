-- works with 0003_organizations.sql
-- What administrators list is found, sorted and counted by an index, whatever they look for. Byte order, so that one index
-- serves both the sorting and what begins with a text.
create index users_email_order_idx on users (email collate "C");
create index users_email_end_idx on users (reverse(email) collate "C");
create index users_name_order_idx on users (lower(name) collate "C", id);
create index users_name_end_idx on users (reverse(lower(name)) collate "C");
create index users_created_at_idx on users (created_at, id);
create index users_roles_idx on users using gin (roles);
create index users_banned_idx on users (id) where banned;

-- What a text contains is found by its trigrams. Not every server has the extension, or lets us create it: then every user is
-- looked at, which is slower and finds the same.
do $$
begin
  create extension if not exists pg_trgm;
  create index users_email_trigrams_idx on users using gin (email gin_trgm_ops);
  create index users_name_trigrams_idx on users using gin (lower(name) gin_trgm_ops);
exception when others then
  raise notice 'users are searched without trigrams: %', sqlerrm;
end
$$;
