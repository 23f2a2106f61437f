import type { Logger } from 'pino'
import { Failure } from '../../shared/failure.ts'

/** Does a write that can wait for a later request. Undefined when it was skipped. */
export type OptionalWrite = <T>(write: () => PromiseLike<T>) => Promise<T | undefined>

/** Milliseconds in which a database that took no write is not asked for another one. */
const pause = 5_000

/**
 * For a database that is read-only, say, or whose disk is full. Each try can cost it a connection and a request its time,
 * so that all of them pause after a failure. Throws when it is unknown whether something was done.
 */
export function createOptionalWrite(log: Logger, steadyNow: () => number): OptionalWrite {
  let pausedUntil = Number.NEGATIVE_INFINITY
  return async (write) => {
    if (steadyNow() < pausedUntil) return undefined
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof Failure) || error.retryAfter === undefined) throw error
      pausedUntil = steadyNow() + pause
      log.warn({ err: error }, 'the database takes no writes: sessions are extended later')
      return undefined
    }
  }
}
