import type postgres from 'postgres'
import type { SealedMail } from '../mail/outbox.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import { afterStep, findRow, getRow, oneOrNone } from './checked-row.ts'
import type { Sql } from './connect.ts'
import {
  type CountersToSettle,
  type CountOptions,
  type CountResult,
  countUses,
  type Limit,
  type Limits,
  settleCounters,
} from './limits.ts'

/**
 * The counters of a mail: those that every request moves (`asked`), and those that only a stored mail moves (`stored`).
 */
export interface MailLimits {
  readonly asked: readonly Limit[]
  readonly stored: readonly Limit[]
}

/** The limit that withheld the mail; null when none did. */
export interface MailOutcome {
  readonly withheldBy: string | null
}

/** A mailed link to be stored: the row that its token refers to, and the mail that carries it. */
export interface NewLink {
  readonly id: string
  /** Purpose and digest of the token. Its consumer looks for exactly this. */
  readonly identifier: string
  /** The address that the mail goes to, or for a change of address the new one. */
  readonly value: string
  /** Lifetime in seconds. */
  readonly seconds: number
  readonly mail: SealedMail
  readonly mailLimits: MailLimits
}

export interface Notice {
  readonly mail: SealedMail
  readonly mailLimits: MailLimits
}

/**
 * Common table expressions that store a link for the user whose id `users` yields, if the limits allow. A fragment for
 * the statement that decides whether there is such a user, so that both happen or neither. `link_counted` names the
 * limit that withheld it.
 */
export const insertLink = (
  sql: Sql,
  link: NewLink,
  users: postgres.Fragment,
  yieldsIf?: CountOptions['yieldsIf'],
) => sql`
  ${countUses(sql, allLimits(link.mailLimits), { prefix: 'link_', when: users, yieldsIf })},
  proof as (
    insert into verifications (id, user_id, identifier, value, expires_at)
    select ${link.id}, of_user.id, ${link.identifier}, ${link.value},
      now() + make_interval(secs => ${link.seconds})
    from (${users}) as of_user, link_counted as c
    where c.refused_for is null
    returning id, user_id
  ),
  mail as (
    insert into outbox (id, kind, payload, user_id, verification_id, link_seconds)
    select ${link.mail.id}, ${link.mail.kind}, ${link.mail.payload}, p.user_id, p.id, ${link.seconds} from proof p
  )
`

/** Common table expressions that store a mail without a link for the user whose id `users` yields. */
export const insertNotice = (sql: Sql, { mail, mailLimits }: Notice, users: postgres.Fragment) => sql`
  ${countUses(sql, allLimits(mailLimits), { prefix: 'notice_', when: users })},
  notice as (
    insert into outbox (id, kind, payload, user_id)
    select ${mail.id}, ${mail.kind}, ${mail.payload}, of_user.id
    from (${users}) as of_user, notice_counted as c
    where c.refused_for is null
  )
`

/** The stored limits count last, so a refused mail does not move them. */
const allLimits = ({ asked, stored }: MailLimits): readonly Limit[] => [...asked, ...stored]

export interface LinkRequest {
  readonly email: string
  readonly limits: Limits
  readonly link: NewLink
  readonly onlyUnverified: boolean
  readonly event: PendingAuditEvent
}

/** `userId`: the user of the address. Null when there is none. */
export type LinkRequestResult = CountResult & MailOutcome & { readonly userId: string | null }

/**
 * One statement for known and unknown addresses alike: counts the request, and stores a link if the address has a user.
 * The limits count by address either way. The user's row is locked before them, as everywhere: other statements lock a
 * user and then count a mail. A limit marked `mayYield` is waived while the user has no live link of that purpose. So
 * whoever used it up, the owner has a link in the mailbox or gets one now.
 */
export function requestLink(
  sql: Sql,
  { email, limits, link, onlyUnverified, event }: LinkRequest,
): Promise<LinkRequestResult> {
  const { asked, stored } = link.mailLimits
  const hasNone = sql`
    not exists (
      select from verifications v
      join owner o on o.id = v.user_id
      where split_part(v.identifier, ':', 1) = split_part(${link.identifier}, ':', 1) and v.expires_at > now()
    )
  `
  const counted = sql`select from counted where refused_for is null`
  const when = sql`${counted} and ${afterStep(sql, 'owner')}`
  const steps = sql`
    ${countUses(sql, limits)},
    owner as (
      select u.id from counted c
      join users u on c.refused_for is null and u.email = ${email} and (not ${onlyUnverified} or not u.email_verified)
      for key share of u
    ),
    ${countUses(sql, asked, { prefix: 'mail_', when, yieldsIf: hasNone })},
    allowed as (select o.id from owner o join mail_counted c on c.refused_for is null),
    ${insertLink(sql, { ...link, mailLimits: { asked: [], stored } }, sql`select id from allowed`, hasNone)},
    audited as (${insertAuditEvent(sql, event, counted, { userId: sql`(select id from owner)` })})
  `
  const found = sql`
    select c.refused_for, (select id from owner) as user_id,
      (
        select coalesce(m.refused_by, l.refused_by)
        from owner, mail_counted m left join link_counted l on true
      ) as withheld_by
    from counted c
  `
  return getRow<LinkRequestResult>(sql, link.identifier, found, steps)
}

/** A session that proved its user's password, and the counters of that. */
interface SessionProven {
  readonly sessionId: string
  readonly counters: CountersToSettle
}

/** Parts of a link's statement: the proof that was needed for it, and its audit event. */
interface LinkContext {
  readonly proof?: SessionProven | null
  readonly event?: PendingAuditEvent
}

/** Stores a link for a user, and what was proven for it: the session is fresh again. */
export async function storeLink(
  sql: Sql,
  userId: string,
  link: NewLink,
  { proof = null, event }: LinkContext = {},
): Promise<MailOutcome> {
  const stored = sql<MailOutcome[]>`
    with owner as (select id from users where id = ${userId} for key share),
    ${proof === null ? sql`` : settleProof(sql, proof)}
    ${event ? sql`audited as (${insertAuditEvent(sql, event)}),` : sql``}
    ${insertLink(sql, link, sql`select id from owner`)}
    select refused_by as withheld_by from link_counted
  `
  return (await oneOrNone(stored)) ?? { withheldBy: null }
}

const settleProof = (sql: Sql, { sessionId, counters }: SessionProven) => sql`
  proven as (update sessions s set authenticated_at = now() from owner o where s.user_id = o.id and s.id = ${sessionId}),
  ${settleCounters(sql, counters, sql`select from owner`)}
`

/** Deletes every link with which a user can set a password. */
export const deleteResetLinks = (tx: Sql, userId: string) =>
  tx`delete from verifications where user_id = ${userId} and identifier like 'reset-password:%'`.execute()

/** Stores a mail for the user of an address. Null when there is none. */
export async function storeNotice(
  sql: Sql,
  email: string,
  notice: Notice,
  event: PendingAuditEvent,
): Promise<MailOutcome> {
  const stored = sql<MailOutcome[]>`
    with owner as (select id from users where email = ${email} for key share),
    audited as (${insertAuditEvent(sql, event)}),
    ${insertNotice(sql, notice, sql`select id from owner`)}
    select refused_by as withheld_by from notice_counted
  `
  return (await oneOrNone(stored)) ?? { withheldBy: null }
}

/** An attempt to sign up with an address that a user has already. */
export interface SignUpAttempt {
  readonly id: string
  /** A digest of the chosen password. */
  readonly identifier: string
}

/**
 * How many sign-up attempts are kept for one user. Only an attacker makes more. The password of an unverified account
 * counts as one, so an address that was free before the first of many sign-ups holds as many as one that was taken.
 */
const maxSignUpAttempts = 100

/**
 * Stores a mail for the user of an address, and keeps the sign-up attempt. Like an unverified account it never expires
 * by itself. It is deleted with the user, with their address, and when they first use a mailed link. Returns the user's
 * id.
 */
export const storeSignUpAttempt = (
  sql: Sql,
  email: string,
  notice: Notice,
  { id, identifier, event }: SignUpAttempt & { readonly event: PendingAuditEvent },
) =>
  findRow<{ id: string; now: Date } & MailOutcome>(
    sql,
    identifier,
    sql`select id, now()::timestamptz(3) as now, (select refused_by from notice_counted) as withheld_by from owner`,
    sql`
      owner as (select id, email_verified from users where email = ${email} for key share),
      claimed as (
        insert into verifications (id, user_id, identifier, value, expires_at)
        select ${id}, o.id, ${identifier}, o.id, 'infinity' from owner o
        where (
          select count(*) from verifications v where v.user_id = o.id and v.identifier like 'sign-up:%'
        ) < ${maxSignUpAttempts} - (not o.email_verified)::integer
        on conflict (identifier) do nothing
      ),
      audited as (${insertAuditEvent(sql, event, undefined, { userId: sql`(select id from owner)` })}),
      ${insertNotice(sql, notice, sql`select id from owner`)}
    `,
  )

/** Stores a mail for the user of an address if a matching sign-up attempt exists. Null when there is none. */
export const storeNoticeOfSignUpAttempt = (sql: Sql, email: string, notice: Notice, { identifier }: SignUpAttempt) =>
  findRow<MailOutcome>(
    sql,
    identifier,
    sql`select (select refused_by from notice_counted) as withheld_by from owner`,
    sql`
      owner as (
        select u.id from users u
        where u.email = ${email}
          and exists (select from verifications v where v.user_id = u.id and v.identifier = ${identifier})
        for key share
      ),
      ${insertNotice(sql, notice, sql`select id from owner`)}
    `,
  )
