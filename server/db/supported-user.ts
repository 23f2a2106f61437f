import type { ListedMail, ReachedLimit, SupportedUser, WayIn } from '../../shared/support.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { PageRequest } from '../request/paging.ts'
import { insertAuditEvent, stepCount } from './audit-events.ts'
import { one, oneOrNone } from './checked-row.ts'
import type { ReadSql, Sql } from './connect.ts'
import { releaseCopyMails } from './database-copies.ts'
import type { Limit } from './limits.ts'

/** Rows of each list of a supported user. */
const most = 100

export const listWaysIn = (sql: Sql, userId: string): PromiseLike<WayIn[]> => sql<WayIn[]>`
  select a.provider_id, a.created_at, coalesce(a.proven_email = u.email, false) as address_proven
  from accounts a
  join users u on u.id = a.user_id
  where a.user_id = ${userId} and (a.provider_id <> 'credential' or a.password is not null)
  order by a.created_at, a.id
  limit ${most}
`

/** From the audit trail, since a session goes when it ends. */
export const lastSignIn = (sql: Sql, userId: string) => sql<{ at: Date }[]>`
  select coalesce(last_at, created_at) as at from audit_events
  where user_id = ${userId} and event in ('sign-in-done', 'sign-up-done')
  order by created_at desc, id desc
  limit 1
`

export const listDevices = (sql: Sql, userId: string) => sql<NonNullable<SupportedUser['sessions']>>`
  select id, label, user_agent, created_at, updated_at, expires_at from sessions
  where user_id = ${userId} and expires_at > now() and impersonated_by is null
  order by created_at desc, id desc
  limit ${most}
`

export const listOwnKeys = (sql: Sql, userId: string) => sql<SupportedUser['keys']>`
  select id, name, expires_at, last_used_at from machine_keys
  where user_id = ${userId} and expires_at > now()
  order by created_at desc, id desc
  limit ${most}
`

interface Counter {
  readonly key: Buffer
  readonly count: number
  readonly until: Date
}

/** The limits that refuse their next use. */
export async function listReachedLimits(sql: Sql, limits: readonly Limit[]): Promise<ReachedLimit[]> {
  const counters = await sql<Counter[]>`
    select key, count, expires_at as until from rate_limits
    where key = any(${keysOf(limits.filter(({ isOff }) => !isOff))}::bytea[]) and expires_at > now()
  `
  return reachedOf(limits, counters)
}

/**
 * Deletes the counters of these limits, and returns those that were used up. Locks them in the given order, which has
 * to be that in which they are counted. `count`: all of them.
 */
export async function clearLimits(sql: Sql, limits: readonly Limit[], event: PendingAuditEvent) {
  const keys = keysOf(limits)
  const counters = await sql<Counter[]>`
    with gone as (
      delete from rate_limits where key in (
        select key from rate_limits where key = any(${keys}::bytea[])
        order by array_position(${keys}::bytea[], key)
        for update
      )
      returning key, count, expires_at as until
    ), audited as (${insertAuditEvent(sql, event, sql`select from gone`, { details: stepCount(sql, 'gone') })})
    select key, count, until from gone
  `
  return { count: counters.length, reached: reachedOf(limits, counters) }
}

const keysOf = (limits: readonly Limit[]): Buffer[] => limits.map(({ key }) => key)

const reachedOf = (limits: readonly Limit[], counters: readonly Counter[]): ReachedLimit[] =>
  limits.flatMap(({ name: limit, key, max }) =>
    counters
      .filter((counter) => key.equals(counter.key) && counter.count >= max)
      .map(({ count, until }) => ({ limit, count, max, until })),
  )

/** A mail whose address is still encrypted. */
export type SealedRow = Omit<ListedMail, 'to'> & { readonly payload: Uint8Array }

/** For a row `o`. */
export const mailColumns = (sql: ReadSql) => sql`
  o.id, o.kind, o.payload, o.user_id, o.attempts, o.last_error, o.created_at, ${stateOf(sql)} as state,
  case when o.parked_at is null and o.next_attempt_at < 'infinity' then o.next_attempt_at end as next_attempt_at
`

const stateOf = (sql: ReadSql) => sql`
  case when o.held_at is not null then 'held' when o.parked_at is not null then 'parked'
    when o.next_attempt_at = 'infinity' then 'unsent' when o.last_error is not null then 'failing' else 'waiting' end
`

export interface MailQuery {
  readonly state: string | null
  readonly userId: string | null
  readonly page: PageRequest
}

/** Newest first, with one more than the page. */
export const listStoredMails = (sql: ReadSql, { state, userId, page }: MailQuery) => sql<SealedRow[]>`
  select ${mailColumns(sql)} from outbox o
  where ${state === null ? sql`true` : sql`${stateOf(sql)} = ${state}`}
    and ${userId === null ? sql`true` : sql`o.user_id = ${userId}`}
  order by o.created_at desc, o.id desc
  limit ${page.limit + 1} offset ${page.offset}
`

/** Mails to a user: an invitation belongs to its sender. */
export const listMailsTo = (sql: Sql, userId: string) => sql<SealedRow[]>`
  select ${mailColumns(sql)} from outbox o
  where o.user_id = ${userId} and o.kind <> 'invitation'
  order by o.created_at desc, o.id desc
  limit ${most}
`

export const findStoredMail = (sql: Sql, id: string): Promise<SealedRow | null> =>
  oneOrNone(sql<SealedRow[]>`select ${mailColumns(sql)} from outbox o where o.id = ${id} for update`)

/**
 * Makes a mail due that was given up or waits for longer than `lease` seconds. Null for any other: a process may be
 * sending it.
 */
export const makeMailDue = (sql: Sql, id: string, lease: number, event: PendingAuditEvent): Promise<SealedRow | null> =>
  oneOrNone(sql<SealedRow[]>`
    with o as (
      update outbox set parked_at = null, attempts = 0, last_error = null, next_attempt_at = now()
      where id = ${id} and held_at is null
        and (parked_at is not null or next_attempt_at > now() + make_interval(secs => ${lease}))
      returning *
    ), audited as (${insertAuditEvent(sql, event, sql`select from o`)})
    select ${mailColumns(sql)} from o
  `)

/** Releases what a copy of the database holds. Returns how many mails. */
export async function releaseMails(sql: Sql, event: PendingAuditEvent): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    with released as (${releaseCopyMails(sql)} returning id),
    audited as (${insertAuditEvent(sql, event, sql`select from released`, { details: stepCount(sql, 'released') })})
    select count(*)::integer as count from released
  `)
  return count
}
