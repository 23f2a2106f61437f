import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerAddress } from './address.ts'
import { ensureCluster, NAME } from './cluster.ts'
import { type ClusterSetup, prepareCluster } from './cluster-setup.ts'
import { removeStaleDrafts } from './draft.ts'
import { findEngine, findPackage } from './engine.ts'
import { explain } from './error.ts'
import { joinServer } from './join-server.ts'
import { isLast } from './lease.ts'
import { stopPostmaster } from './postmaster.ts'

export interface EmbeddedLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface Embedded {
  /** Options for postgres(): host is the socket folder (Windows: 127.0.0.1, with port and password). */
  readonly connection: ServerAddress & { readonly user: string; readonly database: string }
  /** Leaves; the last process to leave stops the server (fast shutdown, waits until it is gone). */
  stop(): Promise<void>
}

const RETRY_MS = 1000

/**
 * Joins the PostgreSQL of `dataDir`, making and starting it where needed, and keeps it running until `stop`.
 * `packageFolder` is the npm package with the binaries; null looks for PostgreSQL on the system only. `settings` (`fsync=off`)
 * outdo ours where it is this call that starts the server.
 * Throws EmbeddedDatabaseError with what to do about it.
 */
export async function startEmbedded(options: {
  readonly dataDir: string
  readonly log: EmbeddedLog
  readonly packageFolder?: string | null
  readonly settings?: readonly string[]
}): Promise<Embedded> {
  const { dataDir, log, packageFolder = findPackage(), settings = [] } = options
  try {
    const setup = { ...(await prepareCluster(dataDir, packageFolder)), settings }
    await removeStaleDrafts(setup)
    await ensureCluster(setup)
    return await keepServer(setup, log)
  } catch (error) {
    throw explain(dataDir, error)
  }
}

async function keepServer(setup: ClusterSetup, log: EmbeddedLog): Promise<Embedded> {
  const leaving = new AbortController()
  let recovery = Promise.resolve()
  let stopped: Promise<void> | undefined
  const onLost = () => {
    if (!leaving.signal.aborted) recovery = recover()
  }
  let lease = await joinServer(setup, onLost)
  log.info({ dataDir: setup.dataDir }, 'embedded PostgreSQL is ready')

  // The lease ends with the postmaster (its idle children notice at once), so that is how we learn that it died.
  async function recover(): Promise<void> {
    log.warn({ dataDir: setup.dataDir }, 'connection to the embedded PostgreSQL lost, joining or starting it again')
    while (!leaving.signal.aborted) {
      try {
        await lease.end({ timeout: 0 })
        lease = await joinServer(setup, onLost)
        return log.info({ dataDir: setup.dataDir }, 'embedded PostgreSQL is ready again')
      } catch (error) {
        log.warn({ err: error }, 'the embedded PostgreSQL did not come back, trying again')
        await sleep(RETRY_MS, undefined, { ref: false, signal: leaving.signal }).catch(() => undefined)
      }
    }
  }

  async function leave(): Promise<void> {
    leaving.abort()
    await recovery
    const last = await isLast(lease).catch(() => false)
    if (last) await stopPostmaster(setup, () => findEngine(setup))
    await lease.end({ timeout: 0 })
  }

  const connection = { ...setup.address, user: NAME, database: NAME }
  return { connection, stop: () => (stopped ??= leave()) }
}
