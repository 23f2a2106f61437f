import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { isOutage } from '../db/outage.ts'
import { applyMigrations, type OpenDatabase, refuseNewerDatabase } from './database.ts'

/** Milliseconds between attempts to reach a database that is not up yet. */
const retryTime = 500
/** One of this many failed attempts is logged. */
const attemptsPerLogLine = 20

/** Waits for a database that is not up yet, however long that takes. Any other error stops the start. */
export async function prepareWhenUp(
  { database }: OpenDatabase,
  { MIGRATE, DATABASE_TIMEOUT: connectTimeout }: Config,
  log: Logger,
): Promise<void> {
  for (let looks = 0; ; looks++) {
    try {
      await (MIGRATE
        ? applyMigrations(database, log, { connectTimeout })
        : refuseNewerDatabase(database, log, connectTimeout))
      return
    } catch (error) {
      if (!isOutage(error)) throw error
      if (looks % attemptsPerLogLine === 0) {
        log.warn({ reason: (error as Error).message }, 'the database cannot be reached yet, trying again')
      }
      await sleep(retryTime)
    }
  }
}
