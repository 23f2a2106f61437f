import type postgres from 'postgres'
import type { SealedMail } from '../mail/outbox.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import { deleteOwnKeys } from './user-sessions.ts'

/** The owner of a user's mailbox came by a provider that the settings trust: what others began without proving it ends. */
export interface OwnerArrival {
  readonly address: ProvenAddress
  /** Tells the owner which ways in ended. */
  readonly mail: SealedMail
  readonly event: AuditEvent
  /** Whether nobody had proved the mailbox before: then nothing that was begun is the owner's. */
  readonly endsAll: boolean
}

/**
 * Locks a user with all ways in. A sign-in under way by one of them ends before this, or waits and finds it gone; the
 * statement after this sees all sessions.
 */
export const lockWaysIn = (tx: Sql, userId: string) => tx`
  select from users u
  join accounts a on a.user_id = u.id
  where u.id = ${userId}
  for no key update of u, a
`

/** The step that verifies the address of the users whose `id` the rows of `owners` yield. */
export const verifyAddressOf = (sql: Sql, owners: postgres.Fragment) => sql`
  verified as (
    update users u set email_verified = true, updated_at = now() from (${owners}) o
    where u.id = o.id and not u.email_verified
  )
`

/**
 * The steps that an owner's arrival adds to the sign-in that proved it: for the users whose `id` the rows of `owners` yield,
 * every way in but the account `kept` ends whose holder never proved the mailbox, with its sessions, and then the user's own
 * keys, device requests and mailed links, which whoever held it may have made. `movedFrom`: the old address, where the
 * sign-in replaces it; its proofs come along. `unproven_sessions` has the ids of sessions that ended.
 */
export const welcomeOwner = (
  sql: Sql,
  { address, mail, event, movedFrom = null, endsAll }: OwnerArrival & { readonly movedFrom?: string | null },
  owners: postgres.Fragment,
  kept: string,
) => {
  const isStray = (email: postgres.Fragment) =>
    sql`(${email} is distinct from ${address.email} and ${email} is distinct from ${movedFrom ?? address.email})`
  return sql`
    arrived as (${owners}),
    outdated_proofs as (
      delete from verifications v using arrived o
      where v.user_id = o.id and (v.identifier like 'verify-email:%' or v.identifier like 'sign-up:%')
    ),
    unproven as (
      delete from accounts a using arrived o
      where a.user_id = o.id and ${isStray(sql`a.proven_email`)} and a.id <> ${kept}
      returning a.user_id as id
    ),
    carried_proofs as (
      update accounts a set proven_email = ${address.email} from arrived o
      where a.user_id = o.id and a.proven_email = ${movedFrom} and a.id <> ${kept}
    ),
    unproven_sessions as (
      delete from sessions s using arrived o
      where s.user_id = o.id and ${isStray(sql`s.proven_email`)} and s.account_id is distinct from ${kept}
        and s.impersonated_by is null
      returning s.id, s.user_id
    ),
    ${endBelongings(sql, mail, event, endsAll)}
  `
}

/** What whoever held an ended way in may have made; a mail tells the owner. */
const endBelongings = (sql: Sql, mail: SealedMail, event: AuditEvent, endsAll: boolean) => sql`
  freed as (
    select o.id, (select count(*) from unproven) as count from arrived o
    where ${endsAll} or exists (select from unproven) or exists (select from unproven_sessions)
  ),
  unproven_devices as (delete from device_requests r using freed f where r.user_id = f.id),
  unproven_keys as (${deleteOwnKeys(sql, sql`select id from freed`)}),
  unproven_links as (delete from verifications v using freed f where v.user_id = f.id),
  arrival_mail as (
    insert into outbox (id, kind, payload, user_id) select ${mail.id}, ${mail.kind}, ${mail.payload}, id from freed
  ),
  arrival_audited as (${insertAuditEvent(sql, event, sql`select count from freed`, {
    details: sql`jsonb_build_object('count', told.count)`,
  })})
`
