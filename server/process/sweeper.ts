import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { deleteOldAuditEvents } from '../db/audit-events.ts'
import type { Sql } from '../db/connect.ts'
import { deleteExpiredDeviceRequests } from '../db/device-requests.ts'
import { deleteOldInvitations } from '../db/invitations.ts'
import { deleteExpiredLimits } from '../db/limits.ts'
import { deleteEndedSecrets, deleteExpiredKeys } from '../db/machine-keys.ts'
import { deleteOldMails } from '../db/outbox.ts'
import { deleteExpiredSessions } from '../db/sessions.ts'
import { deleteExpiredVerifications } from '../db/verifications.ts'
import type { Deps } from '../deps.ts'

type SweepParts = Pick<Deps, 'sql' | 'log' | 'config' | 'observer'>

/** Milliseconds between two sweeps; rows of one table that a statement deletes. */
const usualInterval = 60_000
const batch = 1000
/** Milliseconds that the database has to itself between two batches, at the most. */
const longestRest = 1000

/**
 * Table → what deletes a batch of the rows that nobody needs any more, by an index in the order of their time. It names them
 * by an array: with `in`, wrong statistics make a join of it that takes longer than a statement may.
 */
export const sweptTables = ({ INVITATION_HISTORY, AUDIT_RETENTION }: Config) => ({
  sessions: deleteExpiredSessions,
  rate_limits: deleteExpiredLimits,
  verifications: deleteExpiredVerifications,
  device_requests: deleteExpiredDeviceRequests,
  outbox: deleteOldMails,
  machine_key_secrets: deleteEndedSecrets,
  machine_keys: deleteExpiredKeys,
  invitations: (sql: Sql, limit: number) => deleteOldInvitations(sql, limit, INVITATION_HISTORY),
  audit_events: (sql: Sql, limit: number) => deleteOldAuditEvents(sql, limit, AUDIT_RETENTION),
})

type Tables = ReturnType<typeof sweptTables>
type SweptTable = readonly [table: string, deleteBatch: Tables[keyof Tables]]

/**
 * Deletes what has expired until nothing is left, in batches that lock little, of each table in turn; rests as long as it
 * works. Several processes share the rows and never wait for each other. Never throws: a table that fails is logged, and left
 * to the next sweep.
 */
export async function sweep(parts: SweepParts, signal?: AbortSignal): Promise<void> {
  let left: readonly SweptTable[] = Object.entries(sweptTables(parts.config))
  while (left.length > 0) {
    const full: SweptTable[] = []
    for (const table of left) if (!signal?.aborted && (await sweepBatch(parts, table, signal))) full.push(table)
    left = full
  }
}

/** Whether there may be more. */
async function sweepBatch(parts: SweepParts, [table, deleteBatch]: SweptTable, signal?: AbortSignal): Promise<boolean> {
  const { sql, log, observer } = parts
  const startedAt = performance.now()
  try {
    const { count: rows } = await deleteBatch(sql, batch)
    if (rows > 0) log.debug({ table, rows }, 'swept')
    observer?.swept(table, rows)
    if (rows < batch) return false
  } catch (err) {
    log.warn({ table, err }, 'sweep failed; the next one tries again')
    return false
  }
  await rest(Math.min(performance.now() - startedAt, longestRest), signal)
  return true
}

/** Sweeps about once a minute. Returns what stops it, at once unless a batch is under way. */
export function startSweeper(parts: SweepParts, interval = usualInterval): () => Promise<void> {
  const leaving = new AbortController()
  const running = sweepOnAndOn(parts, interval, leaving.signal)
  return () => {
    leaving.abort()
    return running
  }
}

async function sweepOnAndOn(parts: SweepParts, interval: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Jitter keeps several instances from sweeping in step.
    await rest(interval * (0.75 + Math.random() / 2), signal)
    await sweep(parts, signal)
  }
}

/** Ends early, and without an error, when the service leaves. */
const rest = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => undefined)
