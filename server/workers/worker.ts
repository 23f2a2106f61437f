import cluster from 'node:cluster'
import { endSoon } from '../../shared/end-soon.ts'
import { keptOf, parseConfig, readGivenSettings, reuseSettings } from '../config.ts'
import { tuneEngine } from '../process/engine.ts'
import { endWithoutCrash } from '../process/hang-up.ts'
import { createLog } from '../process/log.ts'
import { guardProcess, prepareProcess } from '../process/prepare-process.ts'
import { type Service, startService } from '../process/start.ts'
import type { StopOptions } from './calls.ts'
import type { Port } from './channel.ts'
import { sharedSettingsOf } from './shared-settings.ts'
import { WorkerPart } from './worker-part.ts'

/** The primary ends its workers. A signal to the whole group must not end them before it does. */
const signalsOfPrimary = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** One worker process of `serve`: it serves until the primary stops it or is gone, or an uncaught error ends it. */
async function runWorker(): Promise<void> {
  for (const signal of signalsOfPrimary) process.on(signal, () => undefined)
  // Otherwise the cluster module ends this process at once when the primary is gone, whatever is in flight.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const leaving = new AbortController()
  const joined = WorkerPart.join(process as Port, (options) => void stop(options, 0))
  const started = joined.then((part) => start(part, leaving.signal))
  /** Also while it starts, which may be waiting for a database, or be starting the embedded one. */
  const close = async (options: StopOptions) => {
    setTimeout(endAtOnce, options.notice + endTime).unref()
    leaving.abort()
    const service = await started.catch(() => undefined)
    await service?.stop(options).catch(endAtOnce)
  }
  const stop = async (options: StopOptions, code: number) => {
    await close(options)
    await (await joined).stopped()
    leave(code)
  }
  process.on('uncaughtException', () => void stop({ notice: 0, isReplaced: false }, 1))
  const part = await joined
  process.once('disconnect', () => {
    part.leave()
    void close({ notice: 0, isReplaced: false }).then(() => endWithoutCrash(endSoon))
  })
  try {
    await started
    tuneEngine({ isOptimizerOff: true })
  } catch (error) {
    if (leaving.signal.aborted) return
    await part.failed(error as Error)
    leave(1)
  }
}

/** Milliseconds beyond the notice. The primary may be gone, or not know that this worker ends. */
const endTime = 30_000

/** For a stop that fails: as an uncaught error it would ask for a stop again. */
const endAtOnce = () => process.kill(process.pid, 'SIGKILL')

function leave(code: number): void {
  process.exitCode = code
  if (process.connected) process.disconnect()
  endWithoutCrash(endSoon)
}

async function start(part: WorkerPart, leaving: AbortSignal): Promise<Service> {
  const { env, cwd, settings: kept, checkTimeout } = part.assignment
  const given = await (kept ? reuseSettings(kept, cwd) : readGivenSettings(env, cwd))
  const config = parseConfig(given.texts, given.extensions)
  const log = await createLog(config)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  await prepareProcess()
  return startService(config, log, {
    worker: part,
    checkTimeout,
    leaving,
    onServing: (facts) => part.serving({ facts, settings: keptOf(given), shared: sharedSettingsOf(config) }),
  })
}

await runWorker()
