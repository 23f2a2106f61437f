import { one } from './checked-row.ts'
import type { Sql } from './connect.ts'

/** Whether the row `c` was written in this very database rather than copied into it. */
const isOwnCopy = (sql: Sql) => sql`(
  c.identity = database_identity()
  and (c.identity not like 'unknown/%' or c.xmin::text = (c.xid::text::numeric % 4294967296)::text)
)`

/** The row that identifies this database. */
export const currentCopy = (sql: Sql) => sql`
  select c.id, c.number, ${isOwnCopy(sql)} as is_own from database_copies c order by c.number desc limit 1
`

/** Returns whether this is the database that its rows name. True before the migrations that record it. */
export const isOriginalDatabase = async (sql: Sql): Promise<boolean> => {
  const { isTold } = await one(
    sql<{ isTold: boolean }[]>`select to_regclass('database_copies') is not null as "isTold"`,
  )
  if (!isTold) return true
  const { isOwn } = await one(sql<{ isOwn: boolean }[]>`select n.is_own as "isOwn" from (${currentCopy(sql)}) n`)
  return isOwn
}

/**
 * Records once that this database is a copy, and parks what the original sends: mails and webhooks. Returns how many,
 * or null when this is no copy or was recorded before. The locks make other starting processes wait and then find it
 * done, and let no event in progress count as the original's.
 */
export async function recordCopy(tx: Sql): Promise<{ readonly mails: number; readonly webhooks: number } | null> {
  await tx`lock table database_copies in share row exclusive mode`
  if (await isOriginalDatabase(tx)) return null
  await tx`lock table audit_events, outbox in share row exclusive mode`
  await tx`insert into database_copies (number) select max(number) + 1 from database_copies`
  const { count: webhooks } = await tx`
    update webhooks set parked_at = now(), lease = null, last_error = ${heldWebhook} where parked_at is null
  `
  const { count: mails } = await tx`
    update outbox set parked_at = now(), held_at = now(), last_error = 'Held: the original of this copy sends it'
    where parked_at is null and next_attempt_at < 'infinity'
  `
  return { mails, webhooks }
}

export const heldWebhook = 'Held: the original of this copy sends to it'

/** Releases the mails that were parked because this database is a copy. */
export const releaseCopyMails = (sql: Sql) => sql`
  update outbox set parked_at = null, held_at = null, last_error = null, next_attempt_at = now()
  where held_at is not null
`
