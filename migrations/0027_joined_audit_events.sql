-- works with 0003_organizations.sql
-- Equal acts of one minute are one row with a count, so that nobody buries the trail under one act done over and over.
alter table audit_events
  add column count integer not null default 1,
  add column last_at timestamptz(3),
  add column equality bytea;
create unique index audit_events_equality_key on audit_events (equality) where equality is not null;
comment on column audit_events.count is 'how many equal acts of one minute the row tells of; request and client are those of the first';
comment on column audit_events.last_at is 'when the last of them was done; null: there was one';
comment on column audit_events.equality is 'SHA-256 of the minute and of all that makes acts equal; null: joins no other';

-- Still append-only: within its minute a row may count one more equal act, and say when and by which transaction.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('postern.audit_sweep', true) = 'on' then return old; end if;
  if tg_op = 'UPDATE' then
    if old.equality is not null and now() <= old.created_at + interval '1 minute'
      and new.count = old.count + 1
      and new.last_at between coalesce(old.last_at, old.created_at) and old.created_at + interval '1 minute'
      and new.xid = pg_current_xact_id()
      and to_jsonb(new) - array['count', 'last_at', 'xid'] = to_jsonb(old) - array['count', 'last_at', 'xid']
    then return new; end if;
  end if;
  raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege';
end
$$;
