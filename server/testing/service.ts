import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type App, createApp } from '../app.ts'
import { type Config, type Environment, parseConfig } from '../config.ts'
import type { HashQueueLimits } from '../crypto/hash-queue.ts'
import { connect, type Database, type PoolOptions } from '../db/connect.ts'
import { createOptionalWrite } from '../db/optional-write.ts'
import type { Deps } from '../deps.ts'
import type { ServiceState } from '../http/request-state.ts'
import { createLog } from '../process/log.ts'
import { createParts, openReplica, outboundOf, passwordsOf, poolOf } from '../process/start.ts'
import { createProviders } from '../providers/create-providers.ts'
import type { CallTimes } from '../providers/outbound.ts'
import type { Extensions } from '../settings/extensions.ts'
import type { LimitName, RateLimitSettings } from '../settings/rate-limits.ts'
import { cloneUnsettled, patience, settle } from './database.ts'
import { testSecret } from './settings.ts'
import { slack } from './slack.ts'
import { createVisitor, type Visitor } from './visitor.ts'

export interface TestService {
  readonly app: App
  readonly deps: Deps
  readonly state: ServiceState
  readonly database: Database
  /** Statements since `forget`, transaction control left out. */
  readonly statements: { readonly list: string[]; forget(): void }
  /** Round trips to the database so far. */
  readonly trips: { count: number }
  /** Lists read so far, by place, and the round trips to the replica. */
  readonly reads: { replica: number; primary: number; trips: number }
  /** Log lines, parsed. */
  readonly logged: Record<string, unknown>[]
  /** Somebody with a cookie jar and an address of their own. */
  visitor(address?: string): Visitor
  /** A visitor with the cookies of another: the same sessions in other hands, or at another service. */
  copyOf(person: Pick<Visitor, 'cookies'>, address?: string): Visitor
  /** A visitor who has just signed up; the password is `testPassword`. */
  person(fields?: { email?: string; name?: string }): Promise<Visitor & { email: string }>
  /** Another service on the same database, with its own process-wide state. */
  sibling(settings?: Environment): Promise<TestService>
  stop(): Promise<void>
}

export const testPassword = 'correct horse battery staple'

/** What a test may own of a service: its clock (for what is not stored), and how long password hashes wait. */
export interface TestParts {
  readonly now?: () => Date
  /** Of password hashes; patient unless a test is about it. */
  readonly queue?: HashQueueLimits
  /** Of statements; long unless a test is about them, so that a slow machine is no outage. */
  readonly deadlines?: PoolOptions['deadlines']
  /** Of what a provider is asked; long unless a test is about it. */
  readonly callTimes?: CallTimes
  /** Hashes cost what the settings say. */
  readonly isRealCost?: boolean
  /** Milliseconds; none unless a test is about it. */
  readonly answerFloor?: number
  /** Small numbers, where a test would otherwise take many requests; windows of seconds, where its clock stands still. */
  readonly limits?: RateLimitSettings
  /** What only a config file can contain. */
  readonly extensions?: Extensions
}

/** Mails could leave, so that their limits hold; nothing sends them. */
export const limited = { RATE_LIMIT: 'on', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' }
/** What a trusted server sends. */
export const testServiceKey = 'Zq7Wc3Vn9Xk2Lm5Rt8Yb4Hd6Fg1Js0Pa'
// A small pool: all services of two test files share one server's 200 connections.
const quick = {
  RATE_LIMIT: 'off',
  SECRET: testSecret,
  SERVICE_KEY: testServiceKey,
  LOG_LEVEL: 'info',
  LOG_FORMAT: 'json',
  DATABASE_POOL: '4',
}

/** A whole service in memory on a database of its own: real SQL, no socket. */
export async function createTestService(settings: Environment = {}, parts: TestParts = {}): Promise<TestService> {
  const { database, drop } = await cloneUnsettled()
  const service = await serviceOn(database, settings, parts)
  await settle(service.deps.sql)
  service.statements.forget()
  return {
    ...service,
    stop: async () => {
      await service.stop()
      await drop()
    },
  }
}

/** What goes by the clock of memory, which a test moves. */
const steadyParts = (log: Logger, steadyNow: () => number) => ({
  steadyNow,
  optionalWrite: createOptionalWrite(log, steadyNow),
})

/** The same on a database that is there already, and stays. */
export async function serviceOn(
  database: Database,
  settings: Environment,
  parts: TestParts = {},
  connections = 2,
): Promise<TestService> {
  const config = parseConfig({ ...quick, ...settings }, { ...parts.extensions, RATE_LIMITS: lasting(parts.limits) })
  const logged: Record<string, unknown>[] = []
  const log = await createLog(config, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const list: string[] = []
  const trips = { count: 0 }
  const reads = { replica: 0, primary: 0, trips: 0 }
  const sql = connect(database, {
    ...poolOf(config, log),
    deadlines: parts.deadlines ?? patience,
    onStatement: (statement) => isCounted(statement) && list.push(statement.replaceAll(/\s+/g, ' ').trim()),
    onTrip: () => {
      trips.count += 1
    },
  })
  // Two at once find a connection each; there are more when they are needed.
  const ready = Math.min(connections, config.DATABASE_POOL)
  await Promise.all(Array.from({ length: ready }, () => sql`select pg_sleep(0.01)`))
  list.length = 0
  const hashing = hashingOf(config, settings, parts)
  const { now } = parts
  const made = createParts(hashing, log, now)
  const deps: Deps = {
    ...made,
    ...(now ? steadyParts(log, () => now().getTime()) : {}),
    passwords: passwordsOf(hashing, log, { limits: parts.queue ?? patientQueue }),
    providers: createProviders(config.providers, () => made.now().getTime(), {
      ...outboundOf(config),
      log,
      times: parts.callTimes ?? patientCalls,
    }),
    config,
    answerFloor: parts.answerFloor ?? 0,
    turnTimeout: 60_000 * slack,
    checkTimeout: 500 * slack,
    requestDeadline: 60_000 * slack,
    sql,
    replica: openReplica({ config, log, observer: { listRead: (place) => (reads[place] += 1) } }, sql, {
      ...(parts.deadlines ? { deadlines: parts.deadlines } : {}),
      onTrip: () => (reads.trips += 1),
    }),
  }
  const state: ServiceState = { phase: 'ready' }
  const app = createApp(deps, state)
  const siblings: TestService[] = []
  const service: TestService = {
    app,
    deps,
    state,
    database,
    logged,
    statements: { list, forget: () => list.splice(0) },
    trips,
    reads,
    visitor: (address) => createVisitor(app, config, address),
    copyOf: ({ cookies }, address) => {
      const copy = service.visitor(address)
      for (const [name, value] of cookies) copy.cookies.set(name, value)
      return copy
    },
    person: (fields) => signUp(service, fields),
    sibling: async (other = {}) => {
      const made = await serviceOn(database, { ...settings, ...other }, parts, 1)
      siblings.push(made)
      return made
    },
    stop: async () => {
      await Promise.all(siblings.map((sibling) => sibling.stop()))
      await deps.replica?.end()
      await sql.end({ timeout: 1 })
    },
  }
  return service
}

/** The strength of a hash is no part of most tests, which make thousands: a cheap one, but where a test is about it. */
const hashingOf = (
  config: Config,
  settings: Environment,
  { isRealCost = settings.ARGON2_MEMORY !== undefined }: TestParts,
) => (isRealCost ? config : { ...config, ARGON2_MEMORY: 8 })

/** Longer than any request waits, for a machine that stands still for seconds. */
const patientQueue: HashQueueLimits = { running: 2, waiting: 64, timeout: 60_000 * slack }

/** The same. */
const patientCalls: CallTimes = { answer: 60_000 * slack, flow: 60_000 * slack }

const ofSeconds: readonly LimitName[] = ['calls', 'visits', 'sessionCalls', 'keyCalls', 'passwordCalls']

/** Those whose window is ten seconds have a longer one: it would be over while a slow machine still counts. */
const lasting = (limits: RateLimitSettings = {}): RateLimitSettings => ({
  ...limits,
  ...Object.fromEntries(ofSeconds.map((name) => [name, { window: '50s', ...limits[name] }])),
})

/** What a process looks up once a minute, whatever is called, belongs to no call: the keys that sign tokens. */
const isCounted = (statement: string): boolean =>
  !/signing_keys|^\s*(begin|commit|rollback|savepoint)|pg_sleep/i.test(statement)

async function signUp(service: TestService, { email, name = 'Ann' }: { email?: string; name?: string } = {}) {
  const visitor = service.visitor()
  const address = email ?? `ann-${randomUUID()}@example.com`
  const { status, body } = await visitor.post('/sign-up/email', { email: address, name, password: testPassword })
  if (status !== 200) throw new Error(`Sign-up answered ${status}: ${JSON.stringify(body)}`)
  return { ...visitor, email: address }
}
