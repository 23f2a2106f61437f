import type { Passwords } from '../crypto/password.ts'
import type { PoolLoad } from '../db/pool-load.ts'
import { Counter } from './counter.ts'
import { gauge, type Metric, toExposition } from './exposition.ts'
import type { Observer } from './observer.ts'
import { watchProcess } from './process.ts'
import { RequestCounts } from './requests.ts'

/** What waits in the outbox. */
export interface OutboxDepth {
  readonly waiting: number
  readonly parked: number
  /** What a copy of the database does not send. */
  readonly held: number
  /** Seconds since the oldest of those that wait was stored; 0 without any. */
  readonly oldest: number
}

export interface MetricSources {
  readonly passwords: Pick<Passwords, 'queue'>
  readonly pool: PoolLoad
  /** Null when the database does not say. */
  readonly outbox: () => Promise<OutboxDepth | null>
  readonly version: string
}

/** The numbers of one service, and who counts them. */
export interface Metrics {
  readonly observer: Observer
  readonly pool: PoolLoad
  /** All of them, in Prometheus' text format. */
  text(): Promise<string>
  stop(): void
}

export function createMetrics({ passwords, pool, outbox, version }: MetricSources): Metrics {
  const counts = createCounts()
  const machine = watchProcess()
  let depth: OutboxDepth | null = null
  const metrics = [
    info(version),
    ...counts.metrics,
    ...queueMetrics(passwords.queue),
    ...poolMetrics(pool),
    ...outboxMetrics(() => depth),
    ...machine.metrics,
  ]
  return {
    observer: counts.observer,
    pool,
    text: async () => {
      depth = await outbox()
      return toExposition(metrics)
    },
    stop: () => machine.stop(),
  }
}

function createCounts(): { readonly observer: Observer; readonly metrics: readonly Metric[] } {
  const requests = new RequestCounts()
  const events = new Counter<'event'>('postern_security_events_total', 'Security events, as the log tells them.')
  const signIns = new Counter<'way' | 'result'>('postern_sign_ins_total', 'Sign-ins by way: done, or why not.')
  const acts = new Counter<'limit'>('postern_acts_refused_total', 'Acts that a limit of the audit trail refused.')
  const withheld = new Counter<'kind' | 'limit'>('postern_mails_withheld_total', 'Mails that a limit withheld.')
  const swept = new Counter<'table'>('postern_swept_rows_total', 'Expired rows that this process deleted.')
  const observer: Observer = {
    request: (route, status, ms) => requests.add(route, status, ms),
    event: (event, route, reason) => {
      events.add({ event })
      if (event === 'sign-in-done') signIns.add({ way: wayOf(route), result: 'done' })
      if (event === 'sign-in-failed') signIns.add({ way: wayOf(route), result: reason ?? 'failed' })
    },
    actRefused: (limit) => acts.add({ limit }),
    withheld: (kind, limit) => withheld.add({ kind, limit }),
    swept: (table, rows) => swept.add({ table }, rows),
  }
  return { observer, metrics: [...requests.metrics, events, signIns, acts, withheld, swept] }
}

/** By what somebody signs in, from the path of the call. */
function wayOf(route: string): string {
  if (route === '/device/token') return 'device'
  return /^\/(callback|one-tap|sign-in\/social|page\/device\/(provider|one-tap))/.test(route) ? 'provider' : 'password'
}

const info = (version: string): Metric => ({
  name: 'postern_info',
  help: 'Always 1; says which version runs.',
  type: 'gauge',
  samples: () => [{ labels: { version }, value: 1 }],
})

const queueMetrics = (queue: Passwords['queue']): readonly Metric[] => [
  gauge('postern_password_hashes_running', 'Password hashes that are computed.', () => queue.running),
  gauge('postern_password_hashes_waiting', 'Password hashes that wait for their turn.', () => queue.waiting),
  {
    name: 'postern_password_hashes_refused_total',
    help: 'Password hashes that found no place, or waited too long: answered with 503.',
    type: 'counter',
    samples: () => [{ value: queue.refused }],
  },
]

const poolMetrics = (pool: PoolLoad): readonly Metric[] => [
  gauge('postern_database_connections_max', 'Connections that the pool may open.', () => pool.connections),
  gauge('postern_database_connections_used', 'Connections that carry a query or a transaction.', () => pool.used),
  gauge('postern_database_waiting', 'Queries and transactions that wait for a connection.', () => pool.waiting),
]

const outboxMetrics = (depth: () => OutboxDepth | null): readonly Metric[] => [
  gauge('postern_outbox_waiting', 'Mails to be sent, counted up to 10,000.', () => depth()?.waiting ?? null),
  gauge('postern_outbox_parked', 'Mails that were given up, counted up to 10,000.', () => depth()?.parked ?? null),
  gauge(
    'postern_outbox_held',
    'Mails that a copy of the database holds, counted up to 10,000.',
    () => depth()?.held ?? null,
  ),
  gauge('postern_outbox_oldest_seconds', 'Age of the oldest mail to be sent.', () => depth()?.oldest ?? null),
]
