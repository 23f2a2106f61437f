import { expect } from 'vitest'
import type { Sql } from '../db/connect.ts'

/** Resolves when so many statements wait for locks; in this database, since `pg_locks` has those of other tests, too. */
export async function untilWaiting(
  { deps: { sql } }: { readonly deps: { readonly sql: Sql } },
  count = 1,
): Promise<void> {
  const waiting = async () => {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    return rows.length
  }
  await expect.poll(waiting).toBeGreaterThanOrEqual(count)
}
