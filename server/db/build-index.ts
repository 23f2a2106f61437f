import type { Driver } from './connect.ts'
import type { Tx } from './long-work.ts'
import { isOutage } from './outage.ts'

/** The one index that a migration outside a transaction builds. */
export interface ConcurrentIndex {
  readonly index: string
  readonly table: string
}

// No start tries again at once what somebody cancelled, or what had too little disk or memory.
const needsSomebody = new Set<unknown>(['57014', '53100', '53200'])

/** Its message names the file and says what to do. */
export class FailedMigration extends Error {
  override readonly name = 'FailedMigration'
}

const outsideTransaction =
  /^--.* runs outside a transaction\n(?:--.*\n)*create (?:unique )?index concurrently (?<index>\w+)\s+on (?<table>\w+)[^;]*;\s*$/

/** Null where the migration runs in a transaction: its first line does not say otherwise, or it does something else. */
export const concurrentIndexOf = (text: string): ConcurrentIndex | null =>
  (outsideTransaction.exec(text)?.groups as ConcurrentIndex | undefined) ?? null

/** The server goes on with what a killed process has begun. A second build would end in a deadlock with it. */
export async function isBeingBuilt(tx: Tx, { index, table }: ConcurrentIndex): Promise<boolean> {
  // A build or a drop that still waits has no progress yet.
  const statement = `index concurrently (if exists )?"?${index}\\M`
  const going = await tx`
    select from pg_stat_activity left join pg_stat_progress_create_index progress using (pid)
    where pg_stat_activity.datname = current_database()
      and (progress.relid = to_regclass(${table}) or state = 'active' and query ~* ${statement})
  `
  return going.length > 0
}

/**
 * Builds the index while others go on writing to the table. The caller keeps other processes from building it too, and
 * has no snapshot meanwhile: the build waits for those that have one.
 *
 * @throws FailedMigration, with the code of the driver's error where the database was unavailable: a start tries that
 * again.
 */
export async function buildIndex(
  sql: Driver,
  migration: string,
  text: string,
  { index, table }: ConcurrentIndex,
): Promise<void> {
  try {
    await setLimits(sql, 'none')
    const [built] = await sql<{ isValid: boolean }[]>`
      select indisvalid as "isValid" from pg_index
      where indexrelid = to_regclass(${index}) and indrelid = to_regclass(${table})
    `
    if (built?.isValid) return
    if (built) await sql`drop index concurrently if exists ${sql(index)}`
    await sql.unsafe(text)
  } catch (cause) {
    const { message, code } = cause as Error & { code?: unknown }
    const isTriedAgain = isOutage(cause) && !needsSomebody.has(code)
    const next = isTriedAgain
      ? 'the next attempt drops what is left of the index'
      : 'remove the cause, then start again; what is left of the index is dropped then'
    const sentence = `Migration ${migration} could not build its index ${index} (${message}): ${next}`
    throw Object.assign(new FailedMigration(sentence, { cause }), isTriedAgain && { code })
  } finally {
    // PgBouncer gives the connection to others afterwards.
    await setLimits(sql, 'usual').catch(() => undefined)
  }
}

/** Of the connection, since the build is in no transaction. Up to PostgreSQL 16 there is no transaction_timeout. */
const setLimits = (sql: Driver, limits: 'none' | 'usual') => sql`
  select set_config(name, case when ${limits === 'none'} then '0' else reset_val end, false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')
`
