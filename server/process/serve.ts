import { availableParallelism } from 'node:os'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import {
  ConfigError,
  copyEnvironment,
  type Environment,
  forgetSecrets,
  keptOf,
  loadConfig,
  parseConfig,
  readGivenSettings,
} from '../config.ts'
import { misspeltSettings } from '../settings/misspelt.ts'
import type { ServingFacts } from '../workers/calls.ts'
import type { WorkersOptions } from '../workers/run-workers.ts'
import {
  applyMigrations,
  lacksDatabase,
  openDatabase,
  refuseNoDatabase,
  releaseHeldMails,
  resumeParkedWebhooks,
} from './database.ts'
import { type EngineState, tuneEngine } from './engine.ts'
import { endWithoutCrash, onHangUp } from './hang-up.ts'
import { createLog } from './log.ts'
import { guardProcess, prepareProcess } from './prepare-process.ts'
import { type Service, type StartOptions, startService } from './start.ts'
import type { StopOptions } from './stop.ts'

/** Where settings come from. */
export interface SettingsPlace {
  /** Defaults to the process's own. */
  readonly env?: Environment
  /** The folder of `.env` and the config file. Defaults to the working directory. */
  readonly cwd?: string
}

/**
 * Runs the service until SIGTERM, SIGINT or an uncaught error ends it. Removes secrets from `process.env`, and gives
 * each address of a host name one second to connect (Node's default: a quarter), for all connections of the process.
 * On Linux the threads that hash passwords, and read files, get a lower priority than the one that answers requests.
 * Once it takes requests, it makes V8 keep compiled code and keep the heap small, for all of the process too. It does
 * not end the process: a timer of your program, or of the config file, keeps that alive.
 *
 * SIGHUP replaces the workers, if there are any. When it comes because the terminal was closed, the service stops, and then
 * the process ends by that signal.
 *
 * @returns the exit code: 0 after a signal and a clean drain, 1 after an uncaught error; 143 or 130 after SIGTERM or SIGINT
 * before it took requests.
 * @throws ConfigError for wrong settings; Error with a sentence when the port is taken, or the database cannot be used.
 * @example
 * process.exitCode = await serve({ cwd: '/srv/accounts' })
 */
export async function serve({
  env,
  cwd,
  isOptimizerOff = false,
  ...options
}: SettingsPlace & StartOptions & Partial<EngineState> = {}): Promise<number> {
  const place = { env: copyEnvironment(env), cwd: cwd ?? process.cwd() }
  const given = await readGivenSettings(place.env, place.cwd)
  const config = parseConfig(given.texts, given.extensions)
  forgetSecrets()
  const log = await createLog(config)
  for (const sentence of misspeltSettings(Object.keys(given.texts))) log.warn(sentence)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  await prepareProcess()
  const workers = config.WORKERS === 'auto' ? availableParallelism() : config.WORKERS
  let facts: object = {}
  const onServing = (told: ServingFacts) => {
    facts = workers > 1 ? { ...told, workers } : told
  }
  const service = await unlessSignalled((leaving) =>
    workers > 1
      ? startWorkers({ config, settings: keptOf(given), log, workers, leaving, onServing, ...place, ...options })
      : startAlone(config, log, { leaving, onServing, ...options }),
  )
  if (typeof service === 'number') return service
  tuneEngine({ isOptimizerOff })
  const ended = untilEnd(service)
  // A signal that answers this line must find its handler.
  log.info(facts, 'listening')
  return ended
}

interface Running extends Pick<Service, 'stop'> {
  /** On SIGHUP. */
  readonly reload: () => void
}

async function startAlone(...[config, log, options]: Parameters<typeof startService>): Promise<Running> {
  const service = await startService(config, log, options)
  const reload = () => log.warn('SIGHUP changes nothing without workers (WORKERS): a restart reads the settings')
  return { stop: (given) => service.stop(given), reload }
}

/** Loaded only with WORKERS. */
async function startWorkers(options: WorkersOptions): Promise<Running> {
  const { Workers } = await import('../workers/run-workers.ts')
  const workers = await Workers.start(options)
  return { stop: (given) => workers.stop(given), reload: () => workers.replaceAll() }
}

export interface MigrationResult {
  readonly applied: readonly string[]
  /** The folder of the embedded database, when there was none and this made it. */
  readonly created: string | null
  /** Mails that were held because the database is a copy, and are sent now. */
  readonly released: number
  /** Webhooks that were parked for the same reason, and receive the events from now on. */
  readonly resumed: number
}

/** What a copy that replaces its original does too. */
export interface ReplacementOptions {
  readonly releaseMails?: boolean | undefined
  readonly resumeWebhooks?: boolean | undefined
}

/**
 * Applies migrations to the configured database, then disconnects. If it is a copy that replaces its original, mails
 * and webhooks that are held go on when asked.
 *
 * @throws ConfigError for wrong settings, and for a copy where there is no database; whatever `applyMigrations` throws.
 * @example
 * const { applied } = await migrateDatabase({ cwd: '/srv/accounts' })
 */
export async function migrateDatabase(
  { env, cwd }: SettingsPlace = {},
  { releaseMails = false, resumeWebhooks = false }: ReplacementOptions = {},
): Promise<MigrationResult> {
  const config = await loadConfig(env, cwd)
  if (releaseMails || resumeWebhooks) refuseNoDatabase(config)
  const created = lacksDatabase(config) ? config.DATA_DIR : null
  const log = await createLog(config)
  const opened = await openDatabase(config, log)
  const { DATABASE_TIMEOUT: connectTimeout } = config
  try {
    const applied = await applyMigrations(opened.database, log, { connectTimeout })
    const released = releaseMails ? await releaseHeldMails(opened.database, connectTimeout) : 0
    return {
      applied,
      created,
      released,
      resumed: resumeWebhooks ? await resumeParkedWebhooks(opened.database, connectTimeout) : 0,
    }
  } finally {
    await opened.close()
  }
}

export { ConfigError }

/**
 * A signal during the start closes what was opened so far, such as the embedded database, once it can be closed. A second
 * one ends the process at once.
 *
 * @returns the service, or the exit code after a signal.
 */
async function unlessSignalled<T extends Pick<Service, 'stop'>>(
  start: (leaving: AbortSignal) => Promise<T>,
): Promise<T | ExitCode> {
  const leaving = new AbortController()
  let code: ExitCode | undefined
  const leaveWith = (given: ExitCode) => () => {
    code = given
    ignoreSignals()
    leaving.abort()
  }
  const [onTerm, onInterrupt] = [leaveWith(exitCodes.terminated), leaveWith(exitCodes.interrupted)]
  const ignoreSignals = () => process.off('SIGTERM', onTerm).off('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerm).on('SIGINT', onInterrupt)
  // The settings were read a moment ago.
  const ignoreHangUp = onHangUp({ onClosed: onTerm, onAsked: () => undefined })
  try {
    const service = await start(leaving.signal)
    if (code === undefined) return service
    await service.stop({ notice: 0 })
  } catch (error) {
    if (code === undefined) throw error
  } finally {
    ignoreSignals()
    ignoreHangUp()
  }
  endWithoutCrash(() => undefined)
  return code
}

/** Milliseconds that a service which is ending has left after a fault: what it waits for may never come. */
const timeAfterFault = 20_000

/**
 * Ctrl-C and a closed terminal need no notice for a load balancer, and after an uncaught error nothing new should start.
 * Requests in flight finish, then the process ends. A second signal ends it at once; a fault meanwhile does not, because
 * it would end those requests.
 */
const untilEnd = ({ stop, reload }: Running): Promise<number> =>
  new Promise((resolve, reject) => {
    let isLeaving = false
    const leave = (code: number, options: StopOptions = {}) => {
      if (isLeaving) return
      isLeaving = true
      process.off('SIGTERM', onTerm).off('SIGINT', onInterrupt)
      const end = () => endWithoutCrash(() => resolve(code))
      stop(options).finally(ignoreAll).then(end, reject)
    }
    const onTerm = () => leave(0)
    const onInterrupt = () => leave(0, { notice: 0 })
    const onFault = () => {
      if (isLeaving) setTimeout(() => process.kill(process.pid), timeAfterFault).unref()
      else leave(1, { notice: 0 })
    }
    const ignoreHangUp = onHangUp({ onClosed: onInterrupt, onAsked: () => isLeaving || reload() })
    const ignoreAll = () => {
      ignoreHangUp()
      process.off('uncaughtException', onFault)
    }
    process.on('SIGTERM', onTerm).on('SIGINT', onInterrupt).on('uncaughtException', onFault)
  })
