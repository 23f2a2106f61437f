-- works with 0003_organizations.sql
alter table sessions
  add column account_id text,
  add column proven_email text;
comment on column sessions.account_id is 'the way in (password or linked identity) that began it; null: none did, as where a mailed link or an administrator did';
comment on column sessions.proven_email is 'the address whose mailbox whoever is signed in here proved: it says something only while it is the user''s';

-- Of sessions that began before this was kept, the way in is known where there is only one.
update sessions s
set account_id = case when w.ways = 1 then w.id end, proven_email = case when w.all_proven then w.email end
from (
  select user_id, count(*) as ways, min(id) as id, min(proven_email) as email, bool_and(proven_email is not null) as all_proven
  from accounts group by user_id
) w
where w.user_id = s.user_id and s.impersonated_by is null;
