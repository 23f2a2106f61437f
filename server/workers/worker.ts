import cluster from 'node:cluster'
import { endSoon } from '../../shared/end-soon.ts'
import { loadConfig } from '../config.ts'
import { tuneEngine } from '../process/engine.ts'
import { guardProcess, prepareProcess } from '../process/guard.ts'
import { createLog } from '../process/log.ts'
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
  let service: Service | undefined
  const part = await WorkerPart.join(process as Port, (options) => void stop(options, 0))
  const stop = async (options: StopOptions, code: number) => {
    await service?.stop(options).catch(endAtOnce)
    await part.stopped()
    leave(code)
  }
  process.once('disconnect', () => {
    part.leave()
    // Nothing is in flight before it serves; the start may be waiting for a database.
    if (service) service.stop({ notice: 0 }).then(endSoon, endAtOnce)
    else endAtOnce()
  })
  process.on('uncaughtException', () => void stop({ notice: 0, isReplaced: false }, 1))
  try {
    service = await start(part)
    tuneEngine({ isOptimizerOff: true })
  } catch (error) {
    await part.failed(error as Error)
    leave(1)
  }
}

/** For a stop that fails: as an uncaught error it would ask for a stop again. */
const endAtOnce = () => process.kill(process.pid, 'SIGKILL')

function leave(code: number): void {
  process.exitCode = code
  if (process.connected) process.disconnect()
  endSoon()
}

async function start(part: WorkerPart): Promise<Service> {
  const { env, cwd } = part.assignment
  const config = await loadConfig(env, cwd)
  const log = await createLog(config)
  guardProcess((error) => log.fatal({ err: error }, 'unexpected error'))
  await prepareProcess()
  return startService(config, log, {
    worker: part,
    onServing: (facts) => part.serving(facts, sharedSettingsOf(config)),
  })
}

await runWorker()
