import { setTimeout as sleep } from 'node:timers/promises'
import { jittered } from '../../shared/jittered.ts'
import type { Config } from '../config.ts'
import { deleteOldAuditEvents, eraseDeletedPeople } from '../db/audit-events.ts'
import { closeAuditMonth, dropAuditMonth, pastAuditMonths } from '../db/audit-months.ts'
import type { Sql } from '../db/connect.ts'
import { deleteExpiredDeviceRequests } from '../db/device-requests.ts'
import { deleteOldInvitations } from '../db/invitations.ts'
import { deleteExpiredLimits } from '../db/limits.ts'
import { deleteEndedSecrets, deleteExpiredKeys } from '../db/machine-keys.ts'
import { deleteOldMails, hastenMails } from '../db/outbox.ts'
import { deleteEndedImports, deleteExpiredSessions } from '../db/sessions.ts'
import { claimSweepTurn, passSweepTurn } from '../db/sweep-turns.ts'
import { sumUserCounts } from '../db/user-list.ts'
import { deleteExpiredVerifications } from '../db/verifications.ts'
import { hastenWebhooks } from '../db/webhook-feed.ts'
import type { Deps } from '../deps.ts'

type SweepParts = Pick<Deps, 'sql' | 'log' | 'config' | 'observer'>

/** Milliseconds between two sweeps, and the rows of one table that a statement deletes. */
const defaultInterval = 60_000
const batch = 1000
/** Users who came or went since the last sweep, of whom a statement adds up the number. */
const mostSummed = 100_000
/**
 * The part of the time in which all processes together sweep. The rest is for the database's other work. Less than the
 * promised 5 %, because the statements that claim and pass the turn come on top.
 */
const usualShare = 0.04
/**
 * Milliseconds that the database rests at most: more than after a round in which every statement took too long. After a
 * process stood still for an hour in its round, all of them would otherwise rest for a day.
 */
const longestRest = 1_800_000
/** Milliseconds after which a process asks again for the turn that another one has. */
const longestWait = 1000

/**
 * Maps each table to the function that deletes a batch of its expired rows, using an index ordered by time. The
 * statement names the rows by an array: with `in`, wrong statistics may choose a join that exceeds the statement
 * timeout. The rows of `erasures` are events that still have origins of a deleted person.
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
  ended_imports: deleteEndedImports,
  erasures: eraseDeletedPeople,
})

type Tables = ReturnType<typeof sweptTables>
type SweptTable = readonly [table: string, deleteBatch: Tables[keyof Tables]]

export interface SweepOptions {
  readonly signal?: AbortSignal
  readonly share?: number
}

/**
 * Adds up counts, sees to what would wait too long, ends and drops months of the audit trail, then deletes expired rows
 * until nothing is left, in rounds of one small batch from each table. All processes take turns at the rounds, and after
 * each the database rests. Never throws: what fails is logged and left to the next sweep.
 */
export async function sweep(parts: SweepParts, { signal, share = usualShare }: SweepOptions = {}): Promise<void> {
  await keepUp(parts, signal)
  try {
    let left: readonly SweptTable[] = Object.entries(sweptTables(parts.config))
    while (left.length > 0 && (await hasTurn(parts, signal))) left = await sweepRound(parts, left, { signal, share })
  } catch (err) {
    parts.log.warn({ err }, 'sweep failed; the next one tries again')
  }
}

/** What fails keeps nothing else from being done. */
async function keepUp({ sql, log, config }: SweepParts, signal?: AbortSignal): Promise<void> {
  const attempt = (what: string, work: () => PromiseLike<unknown>) =>
    Promise.resolve(work()).catch((err: unknown) => log.warn({ err }, `${what}; the next sweep tries again`))
  await attempt('users were not counted', () => sumUserCounts(sql, mostSummed))
  await attempt('mails that wait too long were not looked for', () => hastenMails(sql))
  await attempt('webhooks that wait too long were not looked for', () => hastenWebhooks(sql))
  await attempt('a month of the audit trail was not closed', async () => {
    const closed = await closeAuditMonth(sql)
    if (closed !== null) log.info({ table: closed }, 'closed a month of the audit trail')
  })
  if (config.AUDIT_RETENTION === 0) return
  await attempt('months of the audit trail were not dropped', async () => {
    for (const table of await pastAuditMonths(sql)) {
      if (signal?.aborted) return
      await attempt(`${table} was not dropped`, async () => {
        if (await dropAuditMonth(sql, table, config.AUDIT_RETENTION))
          log.info({ table }, 'dropped a month of the audit trail')
      })
    }
  })
}

/** Waits for the turn of this process. False when the service stops first. */
async function hasTurn({ sql }: SweepParts, signal?: AbortSignal): Promise<boolean> {
  while (!signal?.aborted) {
    const wait = await claimSweepTurn(sql)
    if (wait === 0) return true
    await rest(Math.min(wait, longestWait), signal)
  }
  return false
}

/** Returns the tables that may have more. */
async function sweepRound(
  parts: SweepParts,
  tables: readonly SweptTable[],
  { signal, share }: { readonly signal: AbortSignal | undefined; readonly share: number },
): Promise<readonly SweptTable[]> {
  const startedAt = performance.now()
  const full: SweptTable[] = []
  for (const table of tables) if (!signal?.aborted && (await sweepBatch(parts, table))) full.push(table)
  await passSweepTurn(parts.sql, Math.min((performance.now() - startedAt) * (1 / share - 1), longestRest))
  return full
}

/** Returns whether there may be more. */
async function sweepBatch({ sql, log, observer }: SweepParts, [table, deleteBatch]: SweptTable): Promise<boolean> {
  try {
    const { count: rows } = await deleteBatch(sql, batch)
    if (rows > 0) log.debug({ table, rows }, 'swept')
    observer?.swept(table, rows)
    return rows === batch
  } catch (err) {
    log.warn({ table, err }, 'sweep failed; the next one tries again')
    return false
  }
}

interface SweeperOptions {
  readonly interval?: number
  readonly share?: number
}

/** Sweeps about once a minute. Returns a function that stops it; a running batch finishes first. */
export function startSweeper(parts: SweepParts, options: SweeperOptions = {}): () => Promise<void> {
  const leaving = new AbortController()
  const running = sweepUntilStopped(parts, options, leaving.signal)
  return () => {
    leaving.abort()
    return running
  }
}

async function sweepUntilStopped(
  parts: SweepParts,
  { interval = defaultInterval, ...options }: SweeperOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await rest(jittered(interval), signal)
    await sweep(parts, { ...options, signal })
  }
}

/** Ends early, without an error, when the service stops. */
const rest = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => undefined)
