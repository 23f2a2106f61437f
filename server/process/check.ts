import type { Logger } from 'pino'
import { providerDisplayName } from '../../shared/providers.ts'
import { type Config, copyEnvironment, parseConfig, readGivenSettings } from '../config.ts'
import type { Database, Driver } from '../db/connect.ts'
import { checkVersion, pendingMigrations } from '../db/migrate.ts'
import { countLiveImports } from '../db/moving/live-imports.ts'
import { createMailTransport } from '../mail/create-mail-transport.ts'
import { createProviders } from '../providers/create-providers.ts'
import { type EffectiveSetting, effectiveSettings } from '../settings/effective.ts'
import { misspeltSettings } from '../settings/misspelt.ts'
import { isStrongSecret } from '../settings/schema.ts'
import { lacksDatabase, openDatabase, withConnection } from './database.ts'
import { createLog } from './log.ts'
import type { SettingsPlace } from './serve.ts'
import { lostCookie, outboundOf } from './start.ts'

/** One thing that the service depends on. */
export interface Trial {
  /** `settings`, `database`, `replica`, `mail`, `imported`, or the id of a provider. */
  readonly name: string
  readonly status: 'ok' | 'warning' | 'problem'
  /** Holds no secret. */
  readonly message: string
}

export interface Checked {
  readonly settings: readonly EffectiveSetting[]
  readonly trials: readonly Trial[]
}

/**
 * The settings in force, and whether the service can use what it depends on with them. Changes nothing: it migrates no
 * table, makes no embedded database and sends no mail.
 *
 * @throws ConfigError for wrong settings.
 * @example
 * const { settings, trials } = await checkService({ cwd: '/srv/accounts' })
 */
export async function checkService({ env, cwd = process.cwd() }: SettingsPlace = {}): Promise<Checked> {
  const given = await readGivenSettings(copyEnvironment(env), cwd)
  const config = parseConfig(given.texts, given.extensions)
  const log = await createLog({ ...config, LOG_LEVEL: 'silent' })
  const doubtful = [...misspeltSettings(Object.keys(given.texts)), ...config.originsWithoutCookie.map(lostCookie)]
  const trials = await Promise.all([
    tried('database', () => tryDatabase(config, log)),
    ...(config.DATABASE_REPLICA_URL ? [tried('replica', () => tryReplica(config, config.DATABASE_REPLICA_URL))] : []),
    tried('mail', () => tryMail(config, log)),
    ...tryProviders(config),
    ...(config.IMPORTED_SECRET ? [tried('imported', () => tryImported(config))] : []),
  ])
  return { settings: effectiveSettings(given, config), trials: [...doubtful.map(ofSettings), ...trials] }
}

type Outcome = Omit<Trial, 'name'>

const ok = (message: string): Outcome => ({ status: 'ok', message })
const warning = (message: string): Outcome => ({ status: 'warning', message })

const ofSettings = (sentence: string): Trial => ({ name: 'settings', ...warning(sentence) })

const tried = (name: string, work: () => Promise<Outcome>): Promise<Trial> =>
  work().then(
    (outcome) => ({ name, ...outcome }),
    (error: unknown) => ({ name, status: 'problem', message: reasonOf(error) }),
  )

/**
 * The innermost reason: what the system, the server or the provider said. The embedded database says it itself, and what
 * to do.
 */
function reasonOf(error: unknown): string {
  const { name, message, cause, code } = Object(error)
  if (cause !== undefined && name !== 'EmbeddedDatabaseError') return reasonOf(cause)
  return String(message || code || error)
}

async function tryDatabase(config: Config, log: Logger): Promise<Outcome> {
  if (lacksDatabase(config)) {
    const { checkFirstStart } = await import('../embedded/first-start.ts')
    await checkFirstStart(config.DATA_DIR)
    return ok(`the first start makes an embedded database in ${config.DATA_DIR}`)
  }
  const opened = await openDatabase(config, log)
  try {
    return await examine(config, opened.database)
  } finally {
    await opened.close()
  }
}

/** The check of the database says whether a session still needs it. */
async function tryImported({ IMPORTED_SECRET = '', IMPORTED_COOKIE }: Config): Promise<Outcome> {
  const told = `the cookie ${IMPORTED_COOKIE} of better-auth is accepted for sessions that moved in`
  if (isStrongSecret(IMPORTED_SECRET)) return ok(told)
  return warning(`${told}, although IMPORTED_SECRET is short or a sample: end these sessions soon`)
}

const examine = ({ DATABASE_TIMEOUT, MIGRATE, IMPORTED_SECRET }: Config, database: Database): Promise<Outcome> =>
  withConnection(database, DATABASE_TIMEOUT, async (sql) => {
    const [server] = await sql<{ version: string; replays: boolean }[]>`
      select current_setting('server_version') as version, pg_is_in_recovery() as replays
    `
    if (server?.replays) throw new Error('it is a standby, which takes no writes: DATABASE_URL has to name the primary')
    await checkVersion(sql)
    const pending = await pendingMigrations(sql)
    const version = `PostgreSQL ${server?.version ?? ''}`
    const moved = IMPORTED_SECRET && pending.length === 0 ? await movedSentence(sql) : ''
    if (pending.length === 0) return ok(`${version}, with the newest migration${moved}`)
    const told = `${version}, ${pending.length === 1 ? 'one migration' : `${pending.length} migrations`} behind`
    if (MIGRATE) return ok(`${told}: the start applies what is missing`)
    return { status: 'problem', message: `${told} and MIGRATE is off: run postern migrate` }
  })

async function movedSentence(sql: Driver): Promise<string> {
  const sessions = await countLiveImports(sql)
  return `; ${sessions === 1 ? 'one session' : `${sessions || 'no'} sessions`} that moved in ${sessions === 1 ? 'is' : 'are'} live${sessions === 0 ? ', so IMPORTED_SECRET does nothing' : ''}`
}

const tryReplica = ({ DATABASE_TIMEOUT }: Config, url = ''): Promise<Outcome> =>
  withConnection(url, DATABASE_TIMEOUT, async (sql) => {
    const [server] = await sql<{ replays: boolean }[]>`select pg_is_in_recovery() as replays`
    return server?.replays ? ok('a streaming replica') : warning('it is no replica: it accepts writes of its own')
  })

async function tryMail(config: Config, log: Logger): Promise<Outcome> {
  const { SMTP_URL, extensions } = config
  if (extensions.sendMail) return ok('sendMail of the config file sends mails; only a mail can show whether it works')
  const transport = await createMailTransport(config, log)
  if (!SMTP_URL || !transport?.verify)
    return transport
      ? ok('in development the log shows the links of mails')
      : warning('neither SMTP_URL nor sendMail is set: mails stay in the outbox and are not delivered')
  const { host } = new URL(SMTP_URL)
  try {
    await transport.verify()
    return ok(`${host} lets the service sign in`)
  } catch (error) {
    // The codes of the mailer say no more than the reason of the system.
    throw new Error(
      `${host} does not let the service sign in: ${reasonOf(error).replace(/^SMTP: (E(SOCKET|DNS|TIMEDOUT) \w+: )?/, '')}`,
    )
  } finally {
    transport.close()
  }
}

function tryProviders(config: Config): Promise<Trial>[] {
  const providers = createProviders(config.providers, Date.now, outboundOf(config))
  return config.providers.map((one) =>
    tried(one.provider.id, async () => {
      await providers.reach(one)
      return ok(`${providerDisplayName(one.provider.id)} answers`)
    }),
  )
}
