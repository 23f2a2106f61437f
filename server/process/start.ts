import type { Logger } from 'pino'
import { serviceAddress } from '../../shared/service-address.ts'
import { createApp, createWaitingApp } from '../app.ts'
import type { Config } from '../config.ts'
import type { HashProblem } from '../crypto/argon2-hash.ts'
import { type HashQueueLimits, hashLimitsOf } from '../crypto/hash-queue.ts'
import { createKeys } from '../crypto/keys.ts'
import { createPasswords, type PasswordOptions, type Passwords } from '../crypto/password.ts'
import { logHashTime, requireRightHashes } from '../crypto/self-test.ts'
import { connect, deadlinesOf, type PoolOptions, type Sql } from '../db/connect.ts'
import { createOptionalWrite } from '../db/optional-write.ts'
import { Replica } from '../db/replica.ts'
import type { Deps } from '../deps.ts'
import { createReadCache } from '../domain/session/cookie-cache.ts'
import { createRevocations } from '../domain/session/revocations.ts'
import { TokenMemory } from '../domain/token/memory.ts'
import type { ServiceState } from '../http/request-state.ts'
import { createConfirmedTokens } from '../limits/confirmed-tokens.ts'
import { createMailTransport } from '../mail/create-mail-transport.ts'
import { serviceBaseOf } from '../mail/links.ts'
import { createOutbox } from '../mail/outbox.ts'
import { steadyNow } from '../memory/steady-now.ts'
import type { Observer } from '../metrics/observer.ts'
import { type Dispatcher, startDispatcher } from '../outbox/dispatcher.ts'
import { createProviders } from '../providers/create-providers.ts'
import { withSecret } from '../settings/development-secret.ts'
import { startWebhookSender } from '../webhooks/sender.ts'
import type { ServingFacts } from '../workers/calls.ts'
import type { WorkerPart } from '../workers/worker-part.ts'
import { openDatabase } from './database.ts'
import { addressOf, drain, listen } from './listen.ts'
import type { OpenMetrics } from './metrics.ts'
import { type Close, type OnOpened, openOrClose } from './open-or-close.ts'
import { suitedTo, warnOfNoLimits } from './pooler.ts'
import { prepareWhenUp, whenUp } from './prepare-when-up.ts'
import { createStop, type StopOptions } from './stop.ts'
import { startSweeper } from './sweeper.ts'
import { watchImportedSessions, watchKeys, watchSecrets } from './watch.ts'

/** A running service. */
export interface Service {
  /** Where it listens: `http://127.0.0.1:4100`. */
  readonly url: string
  /**
   * Drains: reports not ready for `notice` milliseconds (default STOP_NOTICE), then accepts no new connections.
   * Requests in flight have 10 seconds to finish; then the mail server and the database are disconnected. Repeated
   * calls stop only once. `isReplaced`: other processes serve at the same address, so it reports ready until the end.
   */
  stop(options?: StopOptions): Promise<void>
}

/** Options that have no setting. */
export interface StartOptions {
  /**
   * How many password hashes are computed at once (default: as many as cores, at most 3), how many more may wait, and
   * for how many milliseconds (defaults: PASSWORD_QUEUE for each of those, PASSWORD_QUEUE_TIMEOUT).
   */
  readonly hashing?: HashQueueLimits | undefined
  /** Milliseconds that `/ready` waits for the database (default: 500). */
  readonly checkTimeout?: number | undefined
  /**
   * Milliseconds that workers have to tell how much of a limit they have used (default: 250). One that is late is taken
   * to have used its share.
   */
  readonly collectTime?: number | undefined
}

interface ProcessOptions {
  /** Set in a worker process of `serve`. */
  readonly worker?: WorkerPart | undefined
  /** Told where it serves instead of the log. */
  readonly onServing?: (facts: ServingFacts) => void
  /** Ends a start that waits for the database. Later it does nothing. */
  readonly leaving?: AbortSignal | undefined
}

/** Milliseconds: well above the work for a known address, so that timing does not reveal which addresses are known. */
const answerFloor = 200
/** Milliseconds. */
const turnTimeout = 2000
const checkTimeout = 500
const requestDeadline = 15_000

/**
 * The parts of a service except for its database. `nudge` is called when there are mails to send: pass
 * `dispatcher.nudge`, or they wait up to about 5 seconds for the dispatcher's next look.
 *
 * @throws Error without any secret in SECRET or SECRETS.
 * @example
 * const parts = { ...createParts(config, log), sql: connect(DATABASE_URL, { connections: 10, prepare: true }) }
 */
export function createParts(
  config: Config,
  log: Logger,
  now = () => new Date(),
  nudge: () => void = () => undefined,
): Omit<Deps, 'sql'> {
  const keys = createKeys(config.SECRETS)
  return {
    config,
    log,
    now,
    steadyNow,
    keys,
    answerFloor,
    turnTimeout,
    checkTimeout,
    requestDeadline,
    outbox: createOutbox(keys.outbox, nudge),
    providers: createProviders(config.providers, steadyNow, { ...outboundOf(config), log }),
    passwords: passwordsOf(config, log),
    readCache: createReadCache(keys.cache, config.COOKIE_CACHE_MAX_AGE, config.ownFields.user.answered),
    revocations: createRevocations(config, now, steadyNow),
    provenSessions: createConfirmedTokens(now),
    optionalWrite: createOptionalWrite(log, steadyNow),
    tokenMemory: new TokenMemory(now),
  }
}

/** The addresses on our own network that the service may request. */
export const outboundOf = ({ OUTBOUND_PRIVATE_NETWORKS, KEY_ISSUERS }: Config) => ({
  networks: OUTBOUND_PRIVATE_NETWORKS,
  issuers: KEY_ISSUERS,
})

/** A password reset, by the user or an administrator, repairs it. */
const unusableHash: Readonly<Record<HashProblem, string>> = {
  unreadable:
    'a stored password hash is damaged or has an unsupported format (docs/moving.md lists the formats): its user cannot sign in with a password until it is reset',
  costly:
    'a stored password hash costs more than is ever computed (docs/moving.md lists the limits): its user cannot sign in with a password until it is reset',
}

/** Makes and checks password hashes at the configured cost. */
export function passwordsOf(
  { ARGON2_MEMORY: memory, ARGON2_PASSES: passes, ARGON2_LANES: lanes, ...config }: Config,
  log: Logger,
  queue: Pick<PasswordOptions, 'limits' | 'queue'> = {},
): Passwords {
  const onUnusable = (problem: HashProblem, userId?: string) => log.error({ userId }, unusableHash[problem])
  return createPasswords(
    { memory, passes, lanes },
    { onUnusable, ...queue, limits: queue.limits ?? hashLimitsOf(config) },
  )
}

/**
 * The whole service in this process. It listens at once and answers 503 until the database is up and migrated, or with
 * LISTEN_EARLY off it listens only then. Then it serves, sends mails and deletes what has expired. Waits for a database
 * that is not up, however long that takes.
 *
 * @throws Error with a sentence when the port is taken, or the database cannot be used at all.
 * @example
 * const service = await startService(await loadConfig(), log)
 * console.log(service.url) // http://127.0.0.1:4100
 * await service.stop()
 */
export const startService = (
  given: Config,
  log: Logger,
  options: StartOptions & ProcessOptions = {},
): Promise<Service> => openOrClose((onOpened) => startParts(given, log, options, onOpened))

const tellLog = (log: Logger) => (facts: ServingFacts) => log.info(facts, 'listening')

/** Tells `onOpened` how to close each part, since a failed start must leave nothing open. */
async function startParts(
  given: Config,
  log: Logger,
  { hashing, checkTimeout, worker, leaving, onServing = tellLog(log) }: StartOptions & ProcessOptions,
  onOpened: OnOpened,
): Promise<Service> {
  await requireRightHashes()
  const config = withSecret(given)
  let dispatcher: Dispatcher | undefined
  const made = shared(worker, {
    ...createParts(config, log, undefined, () => dispatcher?.nudge()),
    passwords: passwordsOf(config, log, { limits: hashing, queue: worker?.sharedHashQueue(config) }),
    ...(checkTimeout ? { checkTimeout } : {}),
  })
  const metrics = await openMetrics(made, worker)
  onOpened(() => metrics?.close())
  const parts = { ...made, observer: metrics?.observer }
  const state: ServiceState = { phase: 'starting' }
  let app = createWaitingApp(parts, state)
  const open = async () => {
    const server = await listen(config, (request, env) => app.fetch(request, env), worker?.assignment.workers)
    onOpened(() => drain(server, 0))
    return server
  }
  // Where others serve already, it must not be asked before it can answer.
  const waiting = listensLate(config, worker) ? undefined : await open()
  const { opened, suited, sql } = await connectWhenUp(parts, metrics?.pool, onOpened, leaving)
  const deps = { ...parts, config: suited, sql, replica: openReplica({ ...parts, config: suited }, sql) }
  metrics?.useDatabase(deps.sql)
  onOpened(() => deps.replica?.end())
  dispatcher = await openDispatcher(deps)
  onOpened(() => dispatcher?.stop())
  app = createApp(deps, state)
  state.phase = 'ready'
  const server = waiting ?? (await open())
  onServing(factsOf(config, addressOf(server)))
  const running = { dispatcher, metrics, ...startPeriodicWork(deps, worker, onOpened) }
  return { url: addressOf(server), stop: createStop({ state, server, deps, opened, ...running }) }
}

async function connectWhenUp(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  load: PoolOptions['load'],
  onOpened: OnOpened,
  leaving?: AbortSignal,
) {
  const opened = await openDatabase(config, log, leaving)
  onOpened(() => opened.close())
  await prepareWhenUp(opened, config, log, leaving)
  const suited = await whenUp(() => suitedTo(config, opened.database, poolOf(config, log), log), log, leaving)
  const sql = connect(opened.database, { ...poolOf(suited, log), load })
  onOpened(() => sql.end({ timeout: 1 }))
  return { opened, suited, sql }
}

const listensLate = ({ LISTEN_EARLY }: Config, worker?: WorkerPart): boolean =>
  worker?.assignment.isLate === true || !LISTEN_EARLY

/** In a worker, what is counted and remembered in memory is shared with the others. */
const shared = (worker: WorkerPart | undefined, parts: Omit<Deps, 'sql'>): Omit<Deps, 'sql'> =>
  worker
    ? {
        ...parts,
        sharedLimits: worker.sharedLimits(parts.config.RATE_LIMITS),
        revocations: worker.sharedRevocations(parts.revocations),
      }
    : parts

const factsOf = (config: Config, url: string): ServingFacts => ({
  url,
  base: config.BASE_PATH,
  // The address to give the command line. Requests that name themselves after another origin are refused.
  address: serviceAddress(serviceBaseOf(config)),
  database: config.DATABASE_URL ? 'external' : 'embedded',
})

/** Only the first worker does what a service needs once. */
function startPeriodicWork(deps: Deps, worker: WorkerPart | undefined, onOpened: OnOpened) {
  const isFirst = worker?.assignment.isFirst ?? true
  if (isFirst) void logHashTime(deps.passwords, deps.log)
  if (isFirst) warnOfLostCookies(deps)
  if (isFirst && !deps.config.DATABASE_PREPARE) void warnOfNoLimits(deps)
  const begun = <C extends Close>(stop: C): C => {
    onOpened(stop)
    return stop
  }
  return {
    stopSweeper: begun(isFirst ? startSweeper(deps) : () => Promise.resolve()),
    stopWebhooks: begun(isFirst ? openWebhooks(deps) : () => Promise.resolve()),
    stopWatch: begun(watchAll(deps, isFirst)),
  }
}

/** Starts to send to webhooks. Returns a function that stops it. */
function openWebhooks(deps: Deps): () => Promise<void> {
  const sender = startWebhookSender(deps)
  return () => sender.stop()
}

/** Starts the periodic checks. Returns a function that stops them. */
function watchAll(deps: Deps, isFirst: boolean): () => Promise<unknown> {
  const stops = [watchKeys(deps), ...(isFirst ? [watchSecrets(deps), watchImportedSessions(deps)] : [])]
  return () => Promise.all(stops.map((stop) => stop()))
}

/** Loaded only when metrics are on. A worker's are served by the primary. */
async function openMetrics(parts: Omit<Deps, 'sql'>, worker?: WorkerPart): Promise<OpenMetrics | undefined> {
  if (!parts.config.METRICS) return undefined
  const { openWorkerMetrics, serveMetrics } = await import('./metrics.ts')
  if (!worker) return serveMetrics(parts)
  const metrics = openWorkerMetrics(parts)
  worker.collectMetrics(metrics.values)
  return metrics
}

async function openDispatcher(deps: Deps): Promise<Dispatcher | undefined> {
  const transport = await createMailTransport(deps.config, deps.log)
  if (transport) return startDispatcher({ ...deps, transport })
  deps.log.warn('no SMTP_URL and no sendMail: mails stay in the outbox and are not delivered')
  return undefined
}

export const poolOf = ({ DATABASE_POOL, DATABASE_PREPARE, DATABASE_TIMEOUT }: Config, log: Logger): PoolOptions => ({
  connections: DATABASE_POOL,
  prepare: DATABASE_PREPARE,
  deadlines: deadlinesOf(DATABASE_TIMEOUT),
  onDistrust: (err) => log.fatal({ err }, 'all database connections were closed and are being reopened'),
})

/**
 * A list on a replica is three statements, each with this time. Together they are less than a call with a large answer
 * may wait for its turn, so calls behind one that met a frozen replica are still in time.
 */
const replicaDeadlines = { queue: 200, query: 400 }

interface ReplicaParts extends Pick<Deps, 'config' | 'log'> {
  readonly observer?: Pick<Observer, 'listRead'> | undefined
}

/** The replica of DATABASE_REPLICA_URL, without connecting yet. */
export function openReplica(
  { config, log, observer }: ReplicaParts,
  primary: Sql,
  options: Partial<PoolOptions> = {},
): Replica | undefined {
  if (config.DATABASE_REPLICA_URL === undefined) return undefined
  const pool = { ...poolOf(config, log), deadlines: replicaDeadlines }
  return new Replica({
    primary,
    sql: connect(config.DATABASE_REPLICA_URL, { ...pool, ...options }),
    now: () => performance.now(),
    onRead: (place) => observer?.listRead(place),
    onChange: (problem) =>
      problem === null
        ? log.info('the replica answers lists again')
        : log.warn({ err: problem }, 'the replica cannot be used, so the primary answers lists until it can'),
  })
}

function warnOfLostCookies({ log, config: { originsWithoutCookie: origins } }: Deps): void {
  for (const origin of origins) log.warn(lostCookie(origin))
}

export const lostCookie = (origin: string): string =>
  `${origin} in TRUSTED_ORIGINS is of another site than BASE_URL, so its pages get no session cookie: serve it from a sub-domain of its site, or set COOKIE_SAME_SITE=none`
