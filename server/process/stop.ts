import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { ServiceState } from '../http/request-state.ts'
import type { Dispatcher } from '../outbox/dispatcher.ts'
import type { OpenDatabase } from './database.ts'
import { drain, drainGently } from './listen.ts'
import type { OpenMetrics } from './metrics.ts'

/** Milliseconds for requests in flight to finish. */
const drainTime = 10_000

export interface StopOptions {
  readonly notice?: number
  /** Another process serves at the same address, so this one stays ready until it closes. */
  readonly isReplaced?: boolean
}

export interface RunningParts {
  readonly state: ServiceState
  readonly server: Server
  readonly deps: Deps
  readonly opened: OpenDatabase
  readonly dispatcher: Dispatcher | undefined
  readonly metrics: OpenMetrics | undefined
  readonly stopSweeper: () => Promise<void>
  readonly stopWebhooks: () => Promise<void>
  readonly stopWatch: () => Promise<unknown>
}

/** Repeated calls stop only once. */
export function createStop({
  state,
  server,
  deps,
  opened,
  dispatcher,
  metrics,
  stopSweeper,
  stopWebhooks,
  stopWatch,
}: RunningParts): (options?: StopOptions) => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = async (notice: number, isReplaced: boolean) => {
    state.phase = isReplaced ? 'replaced' : 'draining'
    const swept = stopSweeper()
    const told = stopWebhooks()
    if (isReplaced) await drainGently(server, notice, drainTime)
    else await sleep(notice).then(() => drain(server, drainTime))
    await dispatcher?.stop()
    await swept
    await told
    await stopWatch()
    await deps.replica?.end()
    await deps.sql.end({ timeout: 5 })
    await opened.close()
    await metrics?.close()
    deps.log.info('stopped')
  }
  return ({ notice = 1000 * deps.config.STOP_NOTICE, isReplaced = false } = {}) => {
    stopping ??= stop(notice, isReplaced)
    return stopping
  }
}
