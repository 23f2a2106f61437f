-- works with 0003_organizations.sql
alter table sessions
  add column account_id text,
  add column address_proven boolean not null default false;
comment on column sessions.account_id is 'the way in (password or linked identity) that began it; null: none did, as where a mailed link or an administrator did';
comment on column sessions.address_proven is 'whether whoever is signed in here proved the mailbox of the user''s present address';

-- Of sessions that began before this was kept, the way in is known where there is only one.
update sessions s
set account_id = case when w.ways = 1 then w.id end, address_proven = w.all_proven
from (
  select user_id, count(*) as ways, min(id) as id, bool_and(mailbox_proven_at is not null) as all_proven
  from accounts group by user_id
) w
where w.user_id = s.user_id and s.impersonated_by is null;
