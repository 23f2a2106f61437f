import { expect } from 'vitest'
import type { TestService } from './service.ts'

/** Resolves when some statement waits for a lock. */
export async function untilWaiting({ deps: { sql } }: Pick<TestService, 'deps'>): Promise<void> {
  const waiting = async () => {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    return rows.length
  }
  await expect.poll(waiting).toBeGreaterThan(0)
}
