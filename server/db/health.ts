import type { Sql } from './connect.ts'

/** What keeps a database from being used. */
export interface DatabaseFault {
  readonly kind: 'unreachable' | 'behind'
  /** Why it does not answer, where it said so. */
  readonly cause?: unknown
}

/** Whether the database answers within a second, and has the newest migration; null when nothing is wrong. */
export async function findFault(sql: Sql, newest: string): Promise<DatabaseFault | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<DatabaseFault>((resolve) => {
    timer = setTimeout(resolve, 1000, { kind: 'unreachable' })
  })
  const asked = sql`select from migrations where name = ${newest}`.then(
    (rows): DatabaseFault | null => (rows.length > 0 ? null : { kind: 'behind' }),
    (cause: unknown): DatabaseFault => (isTableMissing(cause) ? { kind: 'behind' } : { kind: 'unreachable', cause }),
  )
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}

const isTableMissing = (error: unknown): boolean => Object(error).code === '42P01'
