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

/** Milliseconds between two sweeps, and the rows of one table that a statement deletes. */
const defaultInterval = 60_000
const batch = 1000
/** Longest pause in milliseconds between two batches, for the database's other work. */
const longestRest = 1000

/**
 * Maps each table to the function that deletes a batch of its expired rows, using an index ordered by time. The
 * statement names the rows by an array: with `in`, wrong statistics may choose a join that exceeds the statement
 * timeout.
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
 * Deletes expired rows until nothing is left, in small batches with few locks, from each table in turn. Rests as long
 * as it works. Several processes share the rows and never wait for each other. Never throws: a failing table is logged
 * and left to the next sweep.
 */
export async function sweep(parts: SweepParts, signal?: AbortSignal): Promise<void> {
  let left: readonly SweptTable[] = Object.entries(sweptTables(parts.config))
  while (left.length > 0) {
    const full: SweptTable[] = []
    for (const table of left) if (!signal?.aborted && (await sweepBatch(parts, table, signal))) full.push(table)
    left = full
  }
}

/** Returns whether there may be more. */
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

/** Sweeps about once a minute. Returns a function that stops it; a running batch finishes first. */
export function startSweeper(parts: SweepParts, interval = defaultInterval): () => Promise<void> {
  const leaving = new AbortController()
  const running = sweepUntilStopped(parts, interval, leaving.signal)
  return () => {
    leaving.abort()
    return running
  }
}

async function sweepUntilStopped(parts: SweepParts, interval: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Jitter keeps several instances from sweeping in step.
    await rest(interval * (0.75 + Math.random() / 2), signal)
    await sweep(parts, signal)
  }
}

/** Ends early, without an error, when the service stops. */
const rest = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => undefined)
