import type { StoredMail } from '../mail/compose.ts'
import type { Sql } from './connect.ts'
import { one, oneOrNone } from './own-row.ts'

export interface ClaimedMail extends StoredMail {
  readonly kind: string
  /** Tries, this one included. */
  readonly attempts: number
  /** How long ago it was stored, in seconds. */
  readonly age: number
}

/**
 * Takes the mail that is due longest for `lease` seconds: another process gets it only after those, should this one die.
 * The life of its link starts here. Never waits for a row: a use of the link at this moment locks in the opposite order.
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
    select c.id, c.kind, c.payload, c.user_id, u.name, c.link_seconds, c.attempts,
      extract(epoch from now() - c.created_at)::float8 as age
    from claimed c
    left join users u on u.id = c.user_id
  `)

/** After it was sent, or when nobody needs it any more. */
export const deleteMail = (sql: Sql, id: string) => sql`delete from outbox where id = ${id}`

export interface FailedTry {
  readonly id: string
  /** The try that failed; a later try of the same mail is left alone. */
  readonly attempts: number
  /** Holds no address and no token. */
  readonly reason: string
}

/** Lets a mail wait for `delay` seconds. */
export const postponeMail = (sql: Sql, { id, attempts, reason }: FailedTry, delay: number) => sql`
  update outbox set next_attempt_at = now() + make_interval(secs => ${delay}), last_error = ${reason}
  where id = ${id} and attempts = ${attempts}
`

/** Gives a mail up: it is tried no more, and kept for a while to be looked at. */
export const parkMail = (sql: Sql, { id, attempts, reason }: FailedTry) => sql`
  update outbox set parked_at = now(), last_error = ${reason} where id = ${id} and attempts = ${attempts}
`

/** Keeps a mail to be read in the outbox: nothing sends it any more. */
export const keepMail = (sql: Sql, id: string) => sql`
  update outbox set next_attempt_at = 'infinity' where id = ${id}
`

export interface ListedMail extends StoredMail {
  readonly createdAt: Date
  readonly attempts: number
  readonly parkedAt: Date | null
  readonly heldAt: Date | null
}

/** All that the outbox holds, oldest first. */
export const listMails = (sql: Sql) => sql<ListedMail[]>`
  select o.id, o.payload, o.user_id, u.name, o.link_seconds, o.created_at, o.attempts, o.parked_at, o.held_at
  from outbox o
  left join users u on u.id = o.user_id
  order by o.created_at, o.id
`

/** What is counted at the most: nobody asks how far above. */
const mostCounted = 10_000

/** Mails that are to be sent, and the age in seconds of the oldest of them; mails that were given up; those that a copy holds. */
export const outboxDepth = (sql: Sql) =>
  one(sql<{ waiting: number; parked: number; held: number; oldest: number }[]>`
  select
    (select count(*)::integer from (
      select from outbox where parked_at is null and next_attempt_at < 'infinity' limit ${mostCounted}
    ) w) as waiting,
    (select count(*)::integer from (
      select from outbox where parked_at is not null and held_at is null limit ${mostCounted}
    ) p) as parked,
    (select count(*)::integer from (select from outbox where held_at is not null limit ${mostCounted}) h) as held,
    coalesce((
      select extract(epoch from now() - created_at) from outbox
      where parked_at is null and next_attempt_at < 'infinity'
      order by created_at
      limit 1
    ), 0)::float8 as oldest
`)

/** Sweeps mails that were not sent for a week, parked or not: what they say is out of date. */
export const deleteOldMails = (sql: Sql, batch: number) => sql`
  delete from outbox
  where id = any(array(
    select id from outbox
    where created_at < now() - interval '7 days'
    order by created_at
    limit ${batch}
    for update skip locked
  ))
`
