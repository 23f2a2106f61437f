import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Passwords } from '../crypto/password.ts'
import type { PoolLoad } from '../db/pool-load.ts'
import type { Observer } from './observer.ts'
import { addProcess } from './process-metrics.ts'
import { addGauges, addTotal } from './read-metrics.ts'

/** The number of mails in the outbox, by state. */
export interface OutboxDepth {
  readonly waiting: number
  readonly parked: number
  /** Mails that are not sent because the database is a copy. */
  readonly held: number
  /** Seconds since the oldest waiting mail was stored; 0 without any. */
  readonly oldest: number
}

export interface MetricSources {
  readonly passwords: Pick<Passwords, 'queue'>
  readonly pool: PoolLoad
  /** Null when the database does not answer. */
  readonly outbox: () => Promise<OutboxDepth | null>
  readonly version: string
}

/** All metrics of one process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[]

/** The metrics of one service, and the observer that counts them. */
export interface Metrics {
  readonly observer: Observer
  readonly pool: PoolLoad
  readonly contentType: string
  /** All metrics in Prometheus' text format. */
  readonly text: () => Promise<string>
  /** The same to be added up with those of other processes. */
  readonly values: () => Promise<MetricValues>
  stop(): void
}

/** Uses a separate registry, since one process may run several services. */
export function createMetrics({ passwords, pool, outbox, version }: MetricSources): Metrics {
  const registry = new Registry()
  const labelNames = ['version'] as const
  const info = {
    name: 'postern_info',
    help: 'Always 1; the label is the running version.',
    labelNames,
    aggregator: 'first' as const,
    registers: [registry],
  }
  new Gauge(info).set({ version }, 1)
  const observer = createObserver(registry)
  addDeaths(registry)
  addQueue(registry, passwords.queue)
  addPool(registry, pool)
  let depth: OutboxDepth | null = null
  addOutbox(registry, (field) => depth?.[field] ?? null)
  const after = async <T>(read: () => Promise<T>) => {
    depth = await outbox()
    return read()
  }
  return {
    observer,
    pool,
    contentType: registry.contentType,
    text: () => after(() => registry.metrics()),
    values: () => after(() => registry.getMetricsAsJSON()),
    stop: addProcess(registry),
  }
}

interface PrimaryMetrics extends Pick<Metrics, 'contentType' | 'values' | 'stop'> {
  /** Counts a worker that died. */
  readonly workerDied: () => void
}

/** Metrics of a process that only directs others. */
export function createPrimaryMetrics(): PrimaryMetrics {
  const registry = new Registry()
  const stop = addProcess(registry)
  const deaths = addDeaths(registry)
  return {
    contentType: registry.contentType,
    values: () => registry.getMetricsAsJSON(),
    stop,
    workerDied: () => deaths.inc(),
  }
}

const addDeaths = (registry: Registry): Counter =>
  new Counter({
    name: 'postern_worker_deaths_total',
    help: 'Workers that died and were started again.',
    registers: [registry],
  })

/** One text for several processes, each metric added up in its own way. */
export const textOfAll = (all: readonly MetricValues[]): Promise<string> =>
  AggregatorRegistry.aggregate([...all]).metrics()

/** What remains of processes that have ended: what was only counted up. A sum that fell would look like a new start. */
export async function remainsOf(all: readonly MetricValues[]): Promise<MetricValues> {
  const added = await AggregatorRegistry.aggregate([...all]).getMetricsAsJSON()
  // The library names the type by its number in the text, and by its word here.
  return added.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}

/** Callers must keep the number of label values small: only our own names, never input. */
function createObserver(registry: Registry): Observer {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const request = createRequestCounts(registry)
  const events = counter('postern_security_events_total', 'Security events by name.', 'event')
  const signIns = counter('postern_sign_ins_total', 'Sign-ins by method and result.', 'way', 'result')
  const acts = counter('postern_acts_refused_total', 'Actions refused by a limit of the audit trail.', 'limit')
  const withheld = counter('postern_mails_withheld_total', 'Mails withheld by a limit.', 'kind', 'limit')
  const lists = counter('postern_list_reads_total', 'Lists read, by place: the replica or the primary.', 'place')
  const webhooks = counter('postern_webhook_deliveries_total', 'Deliveries to webhooks by result.', 'result')
  const swept = counter(
    'postern_swept_rows_total',
    'Expired rows that this process deleted; of erasures, events.',
    'table',
  )
  return {
    request,
    event: (event, route, reason) => {
      events.inc({ event })
      if (event === 'sign-in-done') signIns.inc({ way: wayOf(route), result: 'done' })
      if (event === 'sign-in-failed') signIns.inc({ way: wayOf(route), result: reason ?? 'failed' })
    },
    actRefused: (limit) => acts.inc({ limit }),
    withheld: (kind, limit) => withheld.inc({ kind, limit }),
    listRead: (place) => lists.inc({ place }),
    webhookTried: (result) => webhooks.inc({ result }),
    swept: (table, rows) => swept.inc({ table }, rows),
  }
}

/** Upper bounds in seconds: from an answer out of memory to one that waited until the deadline. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** Counts requests by call and status, and measures their duration by call. */
function createRequestCounts(registry: Registry): Observer['request'] {
  const registers = [registry]
  const total = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests by call and status.',
    labelNames: ['route', 'status'],
    registers,
  })
  const took = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by call.',
    labelNames: ['route'],
    buckets,
    registers,
  })
  return (route, status, ms) => {
    total.inc({ route, status })
    took.observe({ route }, ms / 1000)
  }
}

/** The kind of sign-in, from the path of the call. */
function wayOf(route: string): string {
  if (/^\/(device|page\/device\/decision)/.test(route)) return 'device'
  return /^\/(callback|one-tap|sign-in\/social|page\/device\/(provider|one-tap))/.test(route) ? 'provider' : 'password'
}

function addQueue(registry: Registry, queue: Passwords['queue']): void {
  addGauges(registry, {
    postern_password_hashes_running: ['Password hashes being computed.', () => queue.running],
    postern_password_hashes_waiting: ['Password hashes waiting for their turn.', () => queue.waiting],
  })
  const help = 'Password hashes refused with 503, for lack of a place or after too long a wait.'
  addTotal(registry, 'postern_password_hashes_refused_total', help, () => queue.refused)
}

/** A worker whose pool is full must not hide behind others that are idle. */
const addPool = (registry: Registry, pool: PoolLoad): void =>
  addGauges(
    registry,
    {
      postern_database_connections_max: [
        'Maximum number of connections in the pool of a process.',
        () => pool.connections,
      ],
      postern_database_connections_used: [
        'Connections in use by a query or transaction; with workers, of the one with most.',
        () => pool.used,
      ],
      postern_database_waiting: [
        'Queries and transactions waiting for a connection; with workers, of the one with most.',
        () => pool.waiting,
      ],
    },
    'max',
  )

const addOutbox = (registry: Registry, look: (field: keyof OutboxDepth) => number | null): void =>
  addGauges(
    registry,
    {
      postern_outbox_waiting: ['Mails waiting to be sent, counted up to 10,000.', () => look('waiting')],
      postern_outbox_parked: ['Mails given up, counted up to 10,000.', () => look('parked')],
      postern_outbox_held: ['Mails held because the database is a copy, counted up to 10,000.', () => look('held')],
      postern_outbox_oldest_seconds: ['Age of the oldest mail waiting to be sent.', () => look('oldest')],
    },
    'max',
  )
