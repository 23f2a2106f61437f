import type { Sql } from '../db/connect.ts'
import { deleteExpiredDeviceRequests } from '../db/device-requests.ts'
import { deleteOldInvitations } from '../db/invitations.ts'
import { deleteExpiredLimits } from '../db/limits.ts'
import { deleteOldMails } from '../db/outbox.ts'
import { deleteExpiredSessions } from '../db/sessions.ts'
import { deleteExpiredVerifications } from '../db/verifications.ts'
import type { Deps } from '../deps.ts'

const interval = 60_000
const batch = 1000
/** Rows per kind and sweep at the most: one sweep never keeps the database busy for long. */
const maxBatches = 100

/** Deletes what has expired, in batches that lock little; invitations after `history` seconds. */
export async function sweep(sql: Sql, history = 30 * 86_400): Promise<void> {
  const ended = (at: Sql, limit: number) => deleteOldInvitations(at, limit, history)
  const kinds = [
    deleteExpiredSessions,
    deleteExpiredLimits,
    deleteExpiredVerifications,
    deleteExpiredDeviceRequests,
    deleteOldMails,
    ended,
  ]
  for (const deleteExpired of kinds)
    for (let round = 0; round < maxBatches; round += 1) if ((await deleteExpired(sql, batch)).count < batch) break
}

/** Sweeps about once a minute. Returns what stops it. */
export function startSweeper({ sql, log, config }: Pick<Deps, 'sql' | 'log' | 'config'>): () => Promise<void> {
  let running = Promise.resolve()
  // Jitter keeps several instances from sweeping in step.
  const timer = setInterval(
    () => {
      running = sweep(sql, config.INVITATION_HISTORY).catch((error: unknown) =>
        log.warn({ err: error }, 'sweep failed; the next one tries again'),
      )
    },
    interval * (0.75 + Math.random() / 2),
  ).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
