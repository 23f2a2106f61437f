import type postgres from 'postgres'
import type { SealedLetter } from '../mail/mailbox.ts'
import type { Sql } from './connect.ts'
import { type Counted, clearWhen, countUse, type Limit } from './limits.ts'

/** A mailed link to be stored: the row that its token proves, and the letter that carries it. */
export interface NewLink {
  readonly id: string
  /** Purpose and digest of the token: what consumes it looks for exactly this. */
  readonly identifier: string
  /** What the token stands for; the user's id when null. */
  readonly value: string | null
  /** Life, in seconds. */
  readonly seconds: number
  readonly letter: SealedLetter
  readonly volumes: readonly Limit[]
}

export interface Notice {
  readonly letter: SealedLetter
  readonly volumes: readonly Limit[]
}

/**
 * Common table expressions that store a link for the user id that `users` yields, if the volumes allow; to be put into
 * the statement that decides whether there is one, so that both happen or neither.
 */
export const insertLink = (sql: Sql, link: NewLink, users: postgres.Fragment) => sql`
  ${countUse(sql, link.volumes, { prefix: 'link_', when: users })},
  proof as (
    insert into verifications (id, user_id, identifier, value, expires_at)
    select ${link.id}, of_user.id, ${link.identifier}, coalesce(${link.value}, of_user.id),
      now() + make_interval(secs => ${link.seconds})
    from (${users}) as of_user, link_counted as c
    where c.refused_for is null
    returning id, user_id
  ),
  letter as (
    insert into outbox (id, kind, payload, user_id, verification_id, link_seconds)
    select ${link.letter.id}, ${link.letter.kind}, ${link.letter.payload}, p.user_id, p.id, ${link.seconds} from proof p
  )
`

/** Common table expressions that store a letter without a link for the user id that `users` yields. */
export const insertNotice = (sql: Sql, { letter, volumes }: Notice, users: postgres.Fragment) => sql`
  ${countUse(sql, volumes, { prefix: 'notice_', when: users })},
  notice as (
    insert into outbox (id, kind, payload, user_id)
    select ${letter.id}, ${letter.kind}, ${letter.payload}, of_user.id
    from (${users}) as of_user, notice_counted as c
    where c.refused_for is null
  )
`

export interface LinkRequest {
  readonly email: string
  readonly limits: readonly Limit[]
  readonly link: NewLink
  readonly onlyUnverified: boolean
}

/** Also whose link it is; null where there is none. */
export type LinkAnswer = Counted & { readonly userId: string | null }

/**
 * One statement for known and unknown addresses alike: counts the request, and stores a link where there is such a user.
 * The volumes count by address, whether or not there is one. The user's row is locked before them, as everywhere: who
 * changes a user locks it and then counts a mail.
 */
export async function requestLink(sql: Sql, { email, limits, link, onlyUnverified }: LinkRequest) {
  const counted = sql`select from counted where refused_for is null`
  const [row] = await sql<LinkAnswer[]>`
    with ${countUse(sql, limits)},
    found as (
      select u.id from counted c
      join users u on c.refused_for is null and u.email = ${email} and (not ${onlyUnverified} or not u.email_verified)
      for key share of u
    ),
    ${countUse(sql, link.volumes, { prefix: 'mail_', when: sql`${counted} and (select count(*) from found) >= 0` })},
    allowed as (select f.id from found f join mail_counted c on c.refused_for is null),
    ${insertLink(sql, { ...link, volumes: [] }, sql`select id from allowed`)}
    select refused_for, (select id from found) as user_id from counted
  `
  if (!row) throw new Error('A request for a link was not counted')
  return row
}

/** Stores a link for a user; forgets the counters of the secret that was proven for it. */
export const storeLink = (sql: Sql, userId: string, link: NewLink, cleared: readonly Buffer[] = []) => sql`
  with owner as (select id from users where id = ${userId} for key share),
  ${clearWhen(sql, cleared, sql`select from owner`)}
  ${insertLink(sql, link, sql`select id from owner`)}
  select from owner
`

/** Stores a letter for the user of an address. */
export const storeNotice = (sql: Sql, email: string, notice: Notice) => sql`
  with owner as (select id from users where email = ${email} for key share),
  ${insertNotice(sql, notice, sql`select id from owner`)}
  select from owner
`

/** Somebody's sign-up with an address that a user has. */
export interface Claim {
  readonly id: string
  /** A digest of the password that was chosen. */
  readonly identifier: string
}

/**
 * The same, and keeps the claim that it tells of. That never expires by itself, as an account that nobody verifies does
 * not; it goes with the user, with their address, and with the first mailed link that they use.
 */
export const storeClaim = (sql: Sql, email: string, notice: Notice, { id, identifier }: Claim) => sql<{ id: string }[]>`
  with owner as (select id from users where email = ${email} for key share),
  claimed as (
    insert into verifications (id, user_id, identifier, value, expires_at)
    select ${id}, id, ${identifier}, id, 'infinity' from owner
    on conflict (identifier) do nothing
  ),
  ${insertNotice(sql, notice, sql`select id from owner`)}
  select id from owner
`

/** Stores a letter for the user of an address if there is such a claim on it: then one row comes back. */
export const storeNoticeOfClaim = (sql: Sql, email: string, notice: Notice, { identifier }: Claim) => sql`
  with owner as (
    select u.id from users u
    where u.email = ${email}
      and exists (select from verifications v where v.user_id = u.id and v.identifier = ${identifier})
    for key share
  ),
  ${insertNotice(sql, notice, sql`select id from owner`)}
  select from owner
`
