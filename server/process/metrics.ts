import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { within } from '../../shared/within.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../db/connect.ts'
import { outboxDepth } from '../db/outbox.ts'
import { PoolLoad } from '../db/pool-load.ts'
import type { Deps } from '../deps.ts'
import { createMetrics, type Metrics, type OutboxDepth } from '../metrics/create-metrics.ts'
import { addressOf, drain, listenAt, serverOptions } from './listen.ts'
import { version } from './version.ts'

/** The metrics of a service. */
export interface OpenMetrics extends Metrics {
  /** Includes the outbox from now on. */
  useDatabase(sql: Sql): void
  close(): Promise<void>
}

/** Milliseconds: how long a scrape waits for the database, and how long the result is reused. */
const scrapeTimeout = 1000
const keepTime = 5000

type MeasuredParts = Pick<Deps, 'passwords' | 'config' | 'log'>

/**
 * Collects metrics and answers `GET /metrics` at METRICS_HOST and METRICS_PORT.
 *
 * @throws Error that explains the cause when the port is taken.
 */
export async function serveMetrics(parts: MeasuredParts): Promise<OpenMetrics> {
  const metrics = openWorkerMetrics(parts)
  try {
    const closeServer = await serveScrapes(parts, metrics)
    return { ...metrics, close: () => Promise.all([metrics.close(), closeServer()]).then(() => undefined) }
  } catch (error) {
    await metrics.close()
    throw error
  }
}

/** Collects metrics for another process that serves them. */
export function openWorkerMetrics({ passwords, config }: MeasuredParts): OpenMetrics {
  let sql: Sql | undefined
  const outbox = createCachedRead(() => (sql ? outboxDepth(sql) : Promise.resolve(null)))
  const metrics = createMetrics({ passwords, pool: new PoolLoad(config.DATABASE_POOL), outbox, version })
  return {
    ...metrics,
    useDatabase(opened) {
      sql = opened
    },
    close() {
      metrics.stop()
      return Promise.resolve()
    },
  }
}

/** Answers scrapes with this text. Returns a function that stops it. */
export async function serveScrapes(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  metrics: ScrapedText,
): Promise<() => Promise<void>> {
  const server = await listenForScrapes(config, metrics)
  log.info({ url: `${addressOf(server)}/metrics` }, 'metrics are served')
  return () => drain(server, scrapeTimeout)
}

type ScrapedText = Pick<Metrics, 'contentType' | 'text'>

async function listenForScrapes(
  { METRICS_HOST: HOST, METRICS_PORT: PORT }: Config,
  metrics: ScrapedText,
): Promise<Server> {
  const server = createServer(serverOptions, (request, response) => void answer(request, response, metrics))
  server.maxConnections = 100
  await listenAt(server, { HOST, PORT, prefix: 'METRICS_' })
  return server
}

async function answer(
  { method = '', url }: IncomingMessage,
  response: ServerResponse,
  metrics: ScrapedText,
): Promise<void> {
  response.setHeader('Cache-Control', 'no-store').setHeader('X-Content-Type-Options', 'nosniff')
  if (url?.split('?')[0] !== '/metrics') response.writeHead(404).end()
  else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end()
  else response.writeHead(200, { 'Content-Type': metrics.contentType }).end(await metrics.text())
}

/**
 * Asks the database once for all scrapes within a few seconds, and waits no longer than a scrape may take. Null when
 * the database does not answer.
 */
function createCachedRead(read: () => Promise<OutboxDepth | null>): () => Promise<OutboxDepth | null> {
  let known: OutboxDepth | null = null
  let goodUntil = 0
  let asking: Promise<void> | undefined
  const ask = async () => {
    known = await read().catch(() => null)
    goodUntil = performance.now() + keepTime
    asking = undefined
  }
  return async () => {
    if (performance.now() < goodUntil) return known
    asking ??= ask()
    return within(
      scrapeTimeout,
      asking.then(() => known),
      () => null,
    )
  }
}
