import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { isOutage } from '../db/outage.ts'
import { applyMigrations, type OpenDatabase, refuseNewerDatabase } from './database.ts'

/** Milliseconds between attempts to reach a database that is not up yet. */
const retryTime = 500
/** One of this many failed attempts is logged. */
const attemptsPerLogLine = 20

export const prepareWhenUp = (
  { database }: OpenDatabase,
  { MIGRATE, DATABASE_TIMEOUT: connectTimeout }: Config,
  log: Logger,
): Promise<unknown> =>
  whenUp<unknown>(
    () =>
      MIGRATE ? applyMigrations(database, log, { connectTimeout }) : refuseNewerDatabase(database, log, connectTimeout),
    log,
  )

/** Does this again while the database is not up, however long that takes. Any other error stops the start. */
export async function whenUp<T>(work: () => Promise<T>, log: Logger): Promise<T> {
  for (let looks = 0; ; looks++) {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (looks % attemptsPerLogLine === 0) {
        log.warn({ reason: (error as Error).message }, 'the database cannot be reached yet, trying again')
      }
      await sleep(retryTime)
    }
  }
}
