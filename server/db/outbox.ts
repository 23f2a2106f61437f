import type { StoredMail } from '../mail/compose.ts'
import { one, oneOrNone } from './checked-row.ts'
import type { Sql } from './connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'

export interface ClaimedMail extends StoredMail {
  readonly kind: string
  /** Attempts, including this one. */
  readonly attempts: number
  /** Seconds since the mail was stored. */
  readonly age: number
}

/**
 * Claims the mail that has been due longest for `lease` seconds. Should this process die, another one can claim it
 * after that. The lifetime of its link starts here. Never waits for a row lock, since a use of the link locks in the
 * opposite order.
 */
export const claimMail = (sql: Sql, lease: number): Promise<ClaimedMail | null> =>
  oneOrNone(sql<ClaimedMail[]>`
    with due as (
      select id from outbox
      where parked_at is null and next_attempt_at <= now()
      order by next_attempt_at
      limit 1
      for update skip locked
    ), claimed as (
      update outbox o set attempts = o.attempts + 1, next_attempt_at = now() + make_interval(secs => ${lease})
      from due
      where o.id = due.id
      returning o.*
    ), proof as (
      select v.id, c.link_seconds
      from claimed c
      join verifications v on v.id = c.verification_id
      for no key update of v skip locked
    ), extended as (
      update verifications v set expires_at = now() + make_interval(secs => p.link_seconds), updated_at = now()
      from proof p
      where v.id = p.id
    )
    select c.id, c.kind, c.payload, c.user_id, u.name, u.language, c.link_seconds, c.attempts,
      extract(epoch from now() - c.created_at)::float8 as age
    from claimed c
    left join users u on u.id = c.user_id
  `)

/** Deletes a mail that was sent, or that nobody needs any more. */
export const deleteMail = (sql: Sql, id: string) => sql`delete from outbox where id = ${id}`

export interface FailedAttempt {
  readonly id: string
  /** The number of the failed attempt. A later attempt at the same mail is not changed. */
  readonly attempts: number
  /** Contains no address and no token. */
  readonly reason: string
}

/** Postpones a mail by `delay` seconds. */
export const postponeMail = (sql: Sql, { id, attempts, reason }: FailedAttempt, delay: number) => sql`
  update outbox set next_attempt_at = now() + make_interval(secs => ${delay}), last_error = ${reason}
  where id = ${id} and attempts = ${attempts}
`

/**
 * Makes mails due whose next attempt is later than any wait. The clock of the database was set back, and they would wait
 * until it has caught up.
 */
export const hastenMails = (sql: Sql) => sql`
  update outbox set next_attempt_at = now()
  where parked_at is null and next_attempt_at > now() + interval '2 hours' and next_attempt_at < 'infinity'
`

/** Gives a mail up: it is not tried again, and kept for a while for inspection. */
export const parkMail = (sql: Sql, { id, attempts, reason }: FailedAttempt) => sql`
  update outbox set parked_at = now(), last_error = ${reason} where id = ${id} and attempts = ${attempts}
`

/** Keeps a mail for reading in the outbox. It is never sent. */
export const keepMailUnsent = (sql: Sql, id: string) => sql`
  update outbox set next_attempt_at = 'infinity' where id = ${id}
`

export interface ListedMail extends StoredMail {
  readonly kind: string
  readonly createdAt: Date
  readonly attempts: number
  readonly parkedAt: Date | null
  readonly heldAt: Date | null
}

/** Lists everything in the outbox, oldest first. */
export const listMails = (sql: Sql) => sql<ListedMail[]>`
  select o.id, o.kind, o.payload, o.user_id, u.name, u.language, o.link_seconds, o.created_at, o.attempts,
    o.parked_at, o.held_at
  from outbox o
  left join users u on u.id = o.user_id
  order by o.created_at, o.id
`

/** The largest exact count; beyond it the difference does not matter. */
const maxCounted = 10_000

/**
 * Counts, each in the order of its index, the waiting mails, with the age in seconds of the oldest, the parked mails,
 * and those held because this database is a copy.
 */
export const outboxDepth = (sql: Sql) =>
  one(sql<{ waiting: number; parked: number; held: number; oldest: number }[]>`
  select
    (select count(*)::integer from (
      select from outbox where parked_at is null and next_attempt_at < 'infinity'
      order by next_attempt_at
      limit ${maxCounted}
    ) w) as waiting,
    (select count(*)::integer from (
      select from outbox where parked_at is not null and held_at is null order by parked_at limit ${maxCounted}
    ) p) as parked,
    (select count(*)::integer from (
      select from outbox where held_at is not null order by held_at limit ${maxCounted}
    ) h) as held,
    coalesce((
      select extract(epoch from now() - created_at) from outbox
      where parked_at is null and next_attempt_at < 'infinity'
      order by created_at
      limit 1
    ), 0)::float8 as oldest
`)

/** Deletes mails that were not sent for a week, parked or not: their content is out of date. */
export const deleteOldMails = (sql: Sql, batch: number) =>
  deleteExpiredRows(sql, { table: 'outbox', moment: 'created_at', end: sql`now() - interval '7 days'` }, batch)
