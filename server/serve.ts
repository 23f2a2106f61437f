import { ConfigError, type Environment, forgetSecrets, loadConfig } from './config.ts'
import { applyMigrations, openDatabase } from './database.ts'
import { createLog } from './log.ts'
import { type Service, startService } from './start.ts'

export interface ServeOptions {
  readonly env?: Environment
  readonly cwd?: string
}

/** Runs the service until a signal ends it; resolves to the exit code: 0 after a clean drain. */
export async function serve({ env, cwd }: ServeOptions = {}): Promise<number> {
  const config = await loadConfig(env, cwd)
  forgetSecrets()
  const log = await createLog(config)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  const service = await startService(config, log)
  return untilSignal(service)
}

/** Applies migrations to the configured database and leaves it. */
export async function migrateDatabase({ env, cwd }: ServeOptions = {}): Promise<{ applied: string[] }> {
  const config = await loadConfig(env, cwd)
  const log = await createLog(config)
  const opened = await openDatabase(config, log)
  try {
    return { applied: await applyMigrations(opened.database, log) }
  } finally {
    await opened.close()
  }
}

export { ConfigError }

/** A person's Ctrl-C needs no notice to a load balancer. The handlers go with the first signal: a second one ends at once. */
const untilSignal = (service: Service): Promise<number> =>
  new Promise((resolve, reject) => {
    const leave = (notice?: number) => {
      process.off('SIGTERM', onTerm).off('SIGINT', onInterrupt)
      service.stop(notice === undefined ? {} : { notice }).then(() => resolve(0), reject)
    }
    const onTerm = () => leave()
    const onInterrupt = () => leave(0)
    process.on('SIGTERM', onTerm).on('SIGINT', onInterrupt)
  })

/** The last resort: log it, then let the process end with a failure; nothing is swallowed. */
function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}
