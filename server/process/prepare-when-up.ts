import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { isOutage } from '../db/outage.ts'
import { type OpenDatabase, prepareDatabase } from './database.ts'

/** Milliseconds between attempts to reach a database that is not up yet. */
const retryTime = 500
/** One of this many failed attempts is logged. */
const attemptsPerLogLine = 20

export const prepareWhenUp = (
  { database }: OpenDatabase,
  config: Config,
  log: Logger,
  leaving?: AbortSignal,
): Promise<unknown> => whenUp(() => prepareDatabase(database, config, log), log, leaving)

/**
 * Does this again while the database is not up, however long that takes. Any other error stops the start, and so does
 * `leaving` at once: what is being done then is left to itself.
 */
export async function whenUp<T>(work: () => Promise<T>, log: Logger, leaving?: AbortSignal): Promise<T> {
  for (let looks = 0; ; looks++) {
    try {
      leaving?.throwIfAborted()
      return await unlessAborted(work(), leaving)
    } catch (error) {
      if (leaving?.aborted || !isOutage(error)) throw error
      if (looks % attemptsPerLogLine === 0) {
        log.warn({ reason: (error as Error).message }, 'the database cannot be reached yet, trying again')
      }
      await sleep(retryTime)
    }
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
