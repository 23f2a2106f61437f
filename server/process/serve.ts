import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { ConfigError, type Environment, forgetSecrets, loadConfig } from '../config.ts'
import { applyMigrations, openDatabase, releaseHeldMails } from './database.ts'
import { createLog } from './log.ts'
import { type Service, type StartOptions, startService } from './start.ts'

/** Where settings come from. */
export interface SettingsPlace {
  /** By default the process's own. */
  readonly env?: Environment
  /** The folder of `.env` and the config file; by default the process's own. */
  readonly cwd?: string
}

/**
 * Runs the service until SIGTERM, SIGINT or an uncaught error ends it. Takes secrets out of `process.env`, and lets every
 * connection of the process try each address of a name for a second (Node: a quarter of one).
 *
 * @returns the exit code: 0 after a signal and a clean drain, 1 after an uncaught error.
 * @throws ConfigError for wrong settings; Error with a sentence when the port is taken, or the database cannot be used.
 * @example
 * process.exitCode = await serve({ cwd: '/srv/accounts' })
 */
export async function serve({ env, cwd, ...options }: SettingsPlace & StartOptions = {}): Promise<number> {
  const config = await loadConfig(env, cwd)
  forgetSecrets()
  const log = await createLog(config)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  // What a quarter of a second gives up may be all addresses of a provider, on a busy machine.
  setDefaultAutoSelectFamilyAttemptTimeout(1000)
  const service = await startService(config, log, options)
  return untilEnd(service)
}

/** What was done to a database. */
interface Migrated {
  readonly applied: readonly string[]
  /** Mails that a copy of the database held, and that are sent now. */
  readonly released: number
}

/**
 * Applies migrations to the configured database, then disconnects; with `isReleasing` the mails are sent, too, that are held
 * since it is a copy of another one.
 *
 * @throws ConfigError for wrong settings, and whatever `applyMigrations` throws.
 * @example
 * const { applied } = await migrateDatabase({ cwd: '/srv/accounts' })
 */
export async function migrateDatabase({ env, cwd }: SettingsPlace = {}, isReleasing = false): Promise<Migrated> {
  const config = await loadConfig(env, cwd)
  const log = await createLog(config)
  const opened = await openDatabase(config, log)
  const { DATABASE_TIMEOUT: connectTimeout } = config
  try {
    const applied = await applyMigrations(opened.database, log, { connectTimeout })
    return { applied, released: isReleasing ? await releaseHeldMails(opened.database, connectTimeout) : 0 }
  } finally {
    await opened.close()
  }
}

export { ConfigError }

/**
 * Ctrl-C needs no notice to a load balancer, and after an uncaught fault nothing new should start: requests in flight end,
 * then the process does. The first event removes the handlers, so that a second one ends the process at once.
 */
const untilEnd = (service: Service): Promise<number> =>
  new Promise((resolve, reject) => {
    const leave = (code: number, notice?: number) => {
      process.off('SIGTERM', onTerm).off('SIGINT', onInterrupt).off('uncaughtException', onFault)
      service.stop(notice === undefined ? {} : { notice }).then(() => resolve(code), reject)
    }
    const onTerm = () => leave(0)
    const onInterrupt = () => leave(0, 0)
    const onFault = () => leave(1, 0)
    process.on('SIGTERM', onTerm).on('SIGINT', onInterrupt).on('uncaughtException', onFault)
  })

/** Reports errors and rejected promises that nobody caught, whatever happens to the process then. */
function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}
