import { ConfigError, type Environment, forgetSecrets, loadConfig } from './config.ts'
import { applyMigrations, openDatabase } from './database.ts'
import { createLog } from './log.ts'
import { type Service, startService } from './start.ts'

export interface ServeOptions {
  readonly env?: Environment
  readonly cwd?: string
}

/** Runs the service until a signal or a fault ends it; resolves to the exit code: 0 after a signal and a clean drain. */
export async function serve({ env, cwd }: ServeOptions = {}): Promise<number> {
  const config = await loadConfig(env, cwd)
  forgetSecrets()
  const log = await createLog(config)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  const service = await startService(config, log)
  return untilEnd(service)
}

/** Applies migrations to the configured database, then disconnects. */
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
