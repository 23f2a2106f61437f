import type postgres from 'postgres'
import { User } from '../../shared/entities.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { findRow } from './checked-row.ts'
import { columnsOf, computedColumns, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { type CountersToSettle, settleCounters } from './limits.ts'
import { insertLink, insertNotice, type MailOutcome, type NewLink, type Notice } from './links.ts'
import { failOnUniqueViolation } from './outage.ts'
import { noSessionSteps, startSession } from './session-start.ts'
import { endActedAs, endActing, isKeptByEndActedAs } from './user-sessions.ts'

export interface EmailVerification {
  readonly userId: string
  readonly email: string
  readonly identifier: string
  /**
   * Whose sign-in method the link proves. Null when the link was opened by an unknown browser, so that none is proven.
   */
  readonly opener: LinkOpener | null
  /** The session that it starts. Null when it starts none. */
  readonly admitted: AdmittedSession | null
  /** Whether the settings name the address: whoever proves it becomes an administrator, and nobody acts as one. */
  readonly isAdminAddress: boolean
  /** The counters of the password by which the opener was recognised. Null without one. */
  readonly counters: CountersToSettle | null
  readonly event: PendingAuditEvent
}

/**
 * Who opened a mailed link: the holder of a session, or of a sign-in method (by a sign-up's cookie, or its password).
 */
export type LinkOpener = { readonly sessionId: string } | { readonly accountId: string }

export interface VerifiedEmail {
  readonly user: User
  /** Whether a session was stored. */
  readonly isSignedIn: boolean
  readonly ended: readonly string[]
}

/**
 * Consumes a verification token while its user still has the address. Null when it was used before. The user's row is
 * locked first, so two links of one user cannot deadlock, and of many concurrent opens exactly one gets a row. The
 * address is verified whoever opened the link. A sign-in method is proven only when its own holder opened it. The
 * session that opened it is proven also without such a method: one that moved in, or that another link began, has none.
 */
export async function verifyEmail(sql: Sql, verification: EmailVerification): Promise<VerifiedEmail | null> {
  const { userId, email, identifier, admitted, counters, event } = verification
  const verified = sql`
    select v.id, p.account_id, p.proven_email from verified v left join proven p on p.id = v.id
  `
  const steps = sql`
    owner as (
      select id from users where id = ${userId} and email = ${email} for no key update
    ), used as (
      delete from verifications v using owner o
      where v.user_id = o.id and v.identifier = ${identifier} and v.expires_at > now()
      returning o.id
    ), others as (
      delete from verifications v using used
      where v.user_id = used.id and v.identifier <> ${identifier}
        and (v.identifier like 'verify-email:%' or v.identifier like 'sign-up:%')
    ),
    ${proofSteps(sql, verification)},
    verified as (
      update users u set email_verified = true, updated_at = now() from used
      where u.id = used.id
        and (not u.email_verified or exists (select from proven) or exists (select from proven_session))
      returning ${columnsOf(sql, User, 'u')}
    ),
    ${counters ? settleCounters(sql, counters, sql`select from owner`) : sql``}
    audited as (${insertAuditEvent(sql, event, sql`select from verified`)}),
    ${admitted ? startSession(sql, admitted, verified) : noSessionSteps(sql)}
  `
  const outcome = computedColumns<Omit<VerifiedEmail, 'user'>>(sql, {
    isSignedIn: sql`exists (select from started)`,
    ended: sql`array(select id from ended)`,
  })
  const found = sql`select ${fieldsOf(sql, User)}, ${outcome} from verified`
  const row = await findRow(sql, identifier, found, steps)
  if (!row) return null
  const { isSignedIn, ended, ...user } = row
  return { user, isSignedIn, ended }
}

/** Proves the opener's sign-in method, and the session that opened the link. */
const proofSteps = (sql: Sql, { email, opener, isAdminAddress }: EmailVerification) => sql`
    proven as (
      update accounts a set mailbox_proof = 'link', mailbox_proven_at = now(), proven_email = ${email} from used
      where a.user_id = used.id and a.id = ${wayInOf(sql, opener)} and a.proven_email is distinct from ${email}
      returning a.user_id as id, a.id as account_id, a.proven_email
    ), proven_session as (
      update sessions s set proven_email = ${email} from used
      where s.user_id = used.id and s.id = ${sessionOf(opener)} and s.proven_email is distinct from ${email}
      returning s.user_id as id
    ), acted_as as (
      ${endActedAs(sql, isAdminAddress, sql`select id from proven union all select id from proven_session`)}
    )
`

/** The account by which the opener of a link signed in. An impersonation has none: an administrator proves nothing. */
const wayInOf = (sql: Sql, opener: LinkOpener | null) => {
  if (opener === null) return sql`null`
  if ('accountId' in opener) return sql`${opener.accountId}`
  return sql`(select account_id from sessions where id = ${opener.sessionId})`
}

/** The session in which a link was opened. */
const sessionOf = (opener: LinkOpener | null): string | null =>
  opener && 'sessionId' in opener ? opener.sessionId : null

/** Finds the user of an address, and whether it is verified. */
export const findAddressOwner = (sql: Sql, email: string) =>
  findRow<{ id: string; emailVerified: boolean }>(
    sql,
    email,
    sql`select id, email_verified from users where email = ${email}`,
  )

export interface EmailChange {
  readonly userId: string
  readonly from: string
  readonly to: string
  /** The token that allows the change, or the live session that suffices where the old address was never verified. */
  readonly allowedBy: { readonly identifier: string } | { readonly sessionId: string }
  /** Who opened the link to the new address and thereby verified it. Null when nobody has proved that mailbox yet. */
  readonly opener: LinkOpener | null
  /** The link that verifies the new address. Null when addresses are not verified here, or it is proven already. */
  readonly link: NewLink | null
  /** The notice to the old address. */
  readonly notice: Notice | null
  /** Ends the user's impersonations of others, since the right to them came from the old address. */
  readonly endsActing: boolean
  /** Ends the impersonations of the user, whom the new address makes an administrator. */
  readonly endsActedAs: boolean
  readonly event: PendingAuditEvent
}

interface ReplacedEmail extends MailOutcome {
  readonly user: User
}

/**
 * Replaces the address and ends every other mailed token of the user, in one statement. Null when the address, token
 * or session has changed meanwhile. Throws EMAIL_NOT_AVAILABLE when somebody took the address meanwhile, as the unique key
 * decides.
 */
export async function replaceEmail(sql: Sql, change: EmailChange): Promise<ReplacedEmail | null> {
  const { userId, from, to, allowedBy, opener, link, notice, event } = change
  const identifier = 'identifier' in allowedBy ? allowedBy.identifier : null
  const proven =
    'identifier' in allowedBy
      ? sql`delete from verifications v using owner o
        where v.user_id = o.id and v.identifier = ${identifier} and v.value = ${to} and v.expires_at > now()
        returning o.id`
      : sql`select o.id from owner o join sessions s on s.id = ${allowedBy.sessionId} and s.expires_at > now()
        where not o.email_verified`
  const changed = sql`select id from changed`
  const steps = sql`
    owner as (
      select id, email_verified from users where id = ${userId} and email = ${from} for update
    ), used as (${proven}),
    others as (
      delete from verifications v using used
      where v.user_id = used.id and v.identifier is distinct from ${identifier}
    ), changed as (
      update users u set email = ${to}, email_verified = ${opener !== null}, updated_at = now() from used
      where u.id = used.id
      returning ${columnsOf(sql, User, 'u')}
    ),
    ${carryOverProofs(sql, change)},
    ${endImpersonations(sql, change, changed)},
    audited as (${insertAuditEvent(sql, event, sql`select from changed`)})
    ${link ? sql`, ${insertLink(sql, link, changed)}` : sql``}
    ${notice ? sql`, ${insertNotice(sql, notice, changed)}` : sql``}
  `
  const outcome = computedColumns<Omit<ReplacedEmail, 'user'>>(sql, {
    withheldBy: link ? sql`(select refused_by from link_counted)` : sql`null`,
  })
  const found = sql`select ${fieldsOf(sql, User)}, ${outcome} from changed`
  const row = await failOnUniqueViolation('users_email_key', 'EMAIL_NOT_AVAILABLE', () =>
    findRow(sql, userId, found, steps),
  )
  if (!row) return null
  const { withheldBy, ...user } = row
  return { user, withheldBy }
}

const endImpersonations = (sql: Sql, { endsActing, endsActedAs }: EmailChange, changed: postgres.Fragment) => sql`
    ended as (${endActing(sql, endsActing, changed)}),
    acted_as as (${endActedAs(sql, endsActedAs, changed)})
`

/**
 * A proof names its address, so a change of address loses all of them: whoever comes back to an earlier address has to
 * prove it anew. A user who had proved the old mailbox and opened the link to the new one keeps all proofs: those sign-in
 * methods belong to the owner too. Anybody else proves only their own session and sign-in method.
 */
const carryOverProofs = (sql: Sql, { from, to, opener, endsActedAs }: EmailChange) => {
  const [wayIn, session] = [wayInOf(sql, opener), sessionOf(opener)]
  const hadProved = sql`exists (select from sessions s where s.id = ${session} and s.proven_email = ${from})`
  return sql`
    carried as (
      update accounts a set mailbox_proof = case when k.is_kept then 'link' end,
        mailbox_proven_at = case when k.is_kept then now() end, proven_email = case when k.is_kept then ${to} end
      from (
        select w.id, coalesce(w.id = ${wayIn} or w.proven_email = ${from} and ${hadProved}, false) as is_kept
        from accounts w join changed c on c.id = w.user_id
      ) k
      where a.id = k.id and (k.is_kept or a.proven_email is not null)
    ),
    carried_sessions as (
      update sessions s set proven_email = case when s.id = ${session} or s.proven_email = ${from} and ${hadProved} then ${to} end
      from changed c
      where s.user_id = c.id and (s.id = ${session} or s.proven_email is not null) and ${isKeptByEndActedAs(sql, endsActedAs)}
    )
  `
}

export interface EmailChangeConsent {
  readonly userId: string
  readonly from: string
  readonly to: string
  readonly identifier: string
  /** The mail to the new address: a link, or a notice when another user has that address. */
  readonly mail: { readonly link: NewLink } | { readonly notice: Notice }
  readonly event: PendingAuditEvent
}

/**
 * Consumes the token by which the old address agrees to a change, and mails the new address. Does not change the
 * address yet. Null when the token was no longer valid. The user is locked first, as everywhere.
 */
export function storeEmailChangeConsent(
  sql: Sql,
  { userId, from, to, identifier, mail, event }: EmailChangeConsent,
): Promise<MailOutcome | null> {
  const steps = sql`
    owner as (
      select id from users where id = ${userId} and email = ${from} for no key update
    ), used as (
      delete from verifications v using owner o
      where v.user_id = o.id and v.identifier = ${identifier} and v.value = ${to} and v.expires_at > now()
      returning o.id
    ),
    audited as (${insertAuditEvent(sql, event, sql`select from used`)}),
    ${
      'link' in mail
        ? insertLink(sql, mail.link, sql`select id from used`)
        : insertNotice(sql, mail.notice, sql`select u.id from users u, used where u.email = ${to}`)
    }
  `
  const counted = 'link' in mail ? sql`link_counted` : sql`notice_counted`
  return findRow<MailOutcome>(
    sql,
    identifier,
    sql`select (select refused_by from ${counted}) as withheld_by from used`,
    steps,
  )
}
