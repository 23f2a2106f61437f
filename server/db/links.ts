import type postgres from 'postgres'
import type { SealedMail } from '../mail/outbox.ts'
import type { AuditEvent } from '../request/audit-event.ts'
import { insertAuditEvent } from './audit-events.ts'
import type { Sql } from './connect.ts'
import {
  type CountersToSettle,
  type CountOptions,
  type CountResult,
  countUse,
  type Limit,
  type Limits,
  settleWhen,
} from './limits.ts'
import { findOwn, getOwn, isDone, oneOrNone } from './own-row.ts'

/** The counters of a mail: those that each request for one moves, and those that only a stored one does. */
export interface MailLimits {
  readonly asked: readonly Limit[]
  readonly stored: readonly Limit[]
}

/** The limit that withheld the mail; null when none did. */
export interface Withheld {
  readonly withheldBy: string | null
}

/** A mailed link to be stored: the row that its token proves, and the mail that carries it. */
export interface NewLink {
  readonly id: string
  /** Purpose and digest of the token: what consumes it looks for exactly this. */
  readonly identifier: string
  /** What the token stands for; the user's id when null. */
  readonly value: string | null
  /** Life, in seconds. */
  readonly seconds: number
  readonly mail: SealedMail
  readonly mailLimits: MailLimits
}

export interface Notice {
  readonly mail: SealedMail
  readonly mailLimits: MailLimits
}

/**
 * Common table expressions that store a link for the user id that `users` yields, if the limits allow; to be put into
 * the statement that decides whether there is one, so that both happen or neither. `link_counted` tells what withheld it.
 */
export const insertLink = (
  sql: Sql,
  link: NewLink,
  users: postgres.Fragment,
  yieldsIf?: CountOptions['yieldsIf'],
) => sql`
  ${countUse(sql, all(link.mailLimits), { prefix: 'link_', when: users, yieldsIf })},
  proof as (
    insert into verifications (id, user_id, identifier, value, expires_at)
    select ${link.id}, of_user.id, ${link.identifier}, coalesce(${link.value}, of_user.id),
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

/** Common table expressions that store a mail without a link for the user id that `users` yields. */
export const insertNotice = (sql: Sql, { mail, mailLimits }: Notice, users: postgres.Fragment) => sql`
  ${countUse(sql, all(mailLimits), { prefix: 'notice_', when: users })},
  notice as (
    insert into outbox (id, kind, payload, user_id)
    select ${mail.id}, ${mail.kind}, ${mail.payload}, of_user.id
    from (${users}) as of_user, notice_counted as c
    where c.refused_for is null
  )
`

/** What is stored counts last: then a refused mail has not moved it. */
const all = ({ asked, stored }: MailLimits): readonly Limit[] => [...asked, ...stored]

export interface LinkRequest {
  readonly email: string
  readonly limits: Limits
  readonly link: NewLink
  readonly onlyUnverified: boolean
  readonly event: AuditEvent
}

/** Also whose link it is; null where there is no such user. */
export type LinkAnswer = CountResult & Withheld & { readonly userId: string | null }

/**
 * One statement for known and unknown addresses alike: counts the request, and stores a link where there is such a user.
 * The limits count by address, whether or not there is one. The user's row is locked before them, as everywhere: who
 * changes a user locks it and then counts a mail. A limit that may yield does where the user has no live link of that
 * purpose: whoever used it up, the owner has one in the mailbox, or gets one now.
 */
export function requestLink(
  sql: Sql,
  { email, limits, link, onlyUnverified, event }: LinkRequest,
): Promise<LinkAnswer> {
  const { asked, stored } = link.mailLimits
  const hasNone = sql`
    not exists (
      select from verifications v
      join owner o on o.id = v.user_id
      where split_part(v.identifier, ':', 1) = split_part(${link.identifier}, ':', 1) and v.expires_at > now()
    )
  `
  const counted = sql`select from counted where refused_for is null`
  const when = sql`${counted} and ${isDone(sql, 'owner')}`
  const steps = sql`
    ${countUse(sql, limits)},
    owner as (
      select u.id from counted c
      join users u on c.refused_for is null and u.email = ${email} and (not ${onlyUnverified} or not u.email_verified)
      for key share of u
    ),
    ${countUse(sql, asked, { prefix: 'mail_', when, yieldsIf: hasNone })},
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
  return getOwn<LinkAnswer>(sql, link.identifier, found, steps)
}

/** What belongs to a link: the counters of a secret that was proven for it, and what it is told as. */
interface LinkReason {
  readonly proof?: CountersToSettle | null
  readonly event?: AuditEvent
}

/** Stores a link for a user; settles the counters of the secret that was proven for it. */
export async function storeLink(
  sql: Sql,
  userId: string,
  link: NewLink,
  { proof = null, event }: LinkReason = {},
): Promise<Withheld> {
  const stored = sql<Withheld[]>`
    with owner as (select id from users where id = ${userId} for key share),
    ${proof === null ? sql`` : settleWhen(sql, proof, sql`select from owner`)}
    ${event ? sql`audited as (${insertAuditEvent(sql, event)}),` : sql``}
    ${insertLink(sql, link, sql`select id from owner`)}
    select refused_by as withheld_by from link_counted
  `
  return (await oneOrNone(stored)) ?? { withheldBy: null }
}

/** Ends every link by which a user may set a password. */
export const deleteResetLinks = (tx: Sql, userId: string) =>
  tx`delete from verifications where user_id = ${userId} and identifier like 'reset-password:%'`.execute()

/** Stores a mail for the user of an address. */
export async function storeNotice(sql: Sql, email: string, notice: Notice, event: AuditEvent): Promise<Withheld> {
  const stored = sql<Withheld[]>`
    with owner as (select id from users where email = ${email} for key share),
    audited as (${insertAuditEvent(sql, event)}),
    ${insertNotice(sql, notice, sql`select id from owner`)}
    select refused_by as withheld_by from notice_counted
  `
  return (await oneOrNone(stored)) ?? { withheldBy: null }
}

/** Somebody's sign-up with an address that a user has. */
export interface SignUpClaim {
  readonly id: string
  /** A digest of the password that was chosen. */
  readonly identifier: string
}

/**
 * Claims on one user that are kept; only an attacker makes more. The password of an unverified account counts as one: so an
 * address that was free before the first of many sign-ups takes as many as one that was taken.
 */
const maxClaims = 100

/**
 * The same, and keeps the claim. Like an unverified account it never expires by itself; it is deleted with the user, with
 * their address, and with the first mailed link that they use. Answers the user's id.
 */
export const storeClaim = (
  sql: Sql,
  email: string,
  notice: Notice,
  { id, identifier, event }: SignUpClaim & { readonly event: AuditEvent },
) =>
  findOwn<{ id: string } & Withheld>(
    sql,
    identifier,
    sql`select id, (select refused_by from notice_counted) as withheld_by from owner`,
    sql`
      owner as (select id, email_verified from users where email = ${email} for key share),
      claimed as (
        insert into verifications (id, user_id, identifier, value, expires_at)
        select ${id}, o.id, ${identifier}, o.id, 'infinity' from owner o
        where (
          select count(*) from verifications v where v.user_id = o.id and v.identifier like 'sign-up:%'
        ) < ${maxClaims} - (not o.email_verified)::integer
        on conflict (identifier) do nothing
      ),
      audited as (${insertAuditEvent(sql, event, undefined, { userId: sql`(select id from owner)` })}),
      ${insertNotice(sql, notice, sql`select id from owner`)}
    `,
  )

/** Stores a mail for the user of an address if there is such a claim on it; null where there is none. */
export const storeNoticeOfClaim = (sql: Sql, email: string, notice: Notice, { identifier }: SignUpClaim) =>
  findOwn<Withheld>(
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
