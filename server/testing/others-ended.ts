import { expect } from 'vitest'
import type { Driver } from '../db/connect.ts'
import { slack } from './slack.ts'

/** Waits for the transactions that are under way in the cluster, also those of other tests. */
export async function untilOthersEnded(sql: Driver): Promise<void> {
  const [now] = await sql.unsafe<{ id: string }[]>('select txid_current()::text as id')
  const text = 'select txid_snapshot_xmin(txid_current_snapshot()) > $1::bigint as ended'
  await expect.poll(() => sql.unsafe(text, [now?.id ?? '']), { timeout: 60_000 * slack }).toEqual([{ ended: true }])
}
