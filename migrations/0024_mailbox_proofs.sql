-- works with 0003_organizations.sql
alter table accounts
  add column mailbox_proof text,
  add column mailbox_proven_at timestamptz(3),
  add column proven_email text,
  add constraint accounts_mailbox_proof_check
    check ((mailbox_proof is null) = (mailbox_proven_at is null) and (mailbox_proof is null) = (proven_email is null));
comment on column accounts.mailbox_proof is 'how the holder of this way in proved a mailbox: link, reset, provider, session (added in a session that had proved it), admin, server or earlier; null: not at all';
comment on column accounts.mailbox_proven_at is 'when that was; null: not at all';
comment on column accounts.proven_email is 'which address that was: it proves the user''s address only while they are equal';

-- Who proved what was not kept until now. A user whose only ways in are providers that nobody trusts by default may owe the
-- verified address to such a provider: they prove it once more.
update accounts a set mailbox_proof = 'earlier', mailbox_proven_at = now(), proven_email = u.email
from users u
where u.id = a.user_id and u.email_verified and exists (
  select from accounts w where w.user_id = u.id and w.provider_id in ('credential', 'apple', 'github', 'google')
);

-- The sessions of a way in know what it proved, so that no request has to look it up.
create function tell_sessions_of_mailbox_proof() returns trigger language plpgsql as $$
begin
  update sessions set proven_email = new.proven_email where user_id = new.user_id and account_id = new.id;
  return null;
end
$$;
create trigger accounts_tell_sessions_of_mailbox_proof after update of proven_email on accounts
  for each row when (old.proven_email is distinct from new.proven_email)
  execute function tell_sessions_of_mailbox_proof();
