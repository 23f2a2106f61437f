import { randomBytes } from 'node:crypto'
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerAddress } from './address.ts'
import { ensureCluster, NAME, readMajor } from './cluster.ts'
import { type ClusterSetup, prepareCluster } from './cluster-setup.ts'
import { removeStaleDrafts } from './draft.ts'
import { findEngine, findPackage } from './engine.ts'
import { EmbeddedDatabaseError, errorCodeOf, explain } from './error.ts'
import { isLast, type Lease, takeLease } from './lease.ts'
import { isPostmaster, type Launch, launchPostmaster, readPid, stopPostmaster } from './postmaster.ts'
import { incarnation, isStale } from './process.ts'
import { lastLines, readLog } from './server-log.ts'

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

const TIMEOUT_MS = 20_000

/** 57P03: starting up, recovering or shutting down. The server lives, so we wait however long it takes. */
const BUSY = '57P03'

/** No server, one that went away under us, no free connection, or a database being copied by another start. */
const passing = new Set(
  'ENOENT ECONNREFUSED ECONNRESET EPIPE CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT 57P01 57P02 53300 55006'.split(
    ' ',
  ),
)

/** Another server has the folder, or children of a killed one have not gone yet. */
const TRANSIENT = /lock file ".*" already exists|shared memory block .* still in use/

/** Joins the server that runs on the folder, or starts one and joins that. */
async function joinServer(setup: ClusterSetup, onLost: () => void): Promise<Lease> {
  let deadline = Date.now() + TIMEOUT_MS
  let launch: Launch | undefined
  for (;;) {
    try {
      return await takeLease(setup.address, onLost)
    } catch (error) {
      if (errorCodeOf(error) === BUSY) deadline = Date.now() + TIMEOUT_MS
      else if (!passing.has(errorCodeOf(error))) throw refused(setup, error)
      if (Date.now() > deadline) throw await late(setup, error)
      launch = await ensureLaunched(setup, launch)
      await sleep(launch?.exit || errorCodeOf(error) === BUSY ? 50 : 10)
    }
  }
}

async function ensureLaunched(setup: ClusterSetup, launch: Launch | undefined): Promise<Launch | undefined> {
  if (launch && !launch.exit) return launch
  if (launch) await throwIfHopeless(setup, launch)
  return (await withLaunchLock(setup.dataDir, () => launchUnlessRunning(setup))) ?? launch
}

async function launchUnlessRunning(setup: ClusterSetup): Promise<Launch | undefined> {
  const pid = await readPid(setup.cluster)
  if (pid !== undefined && (await isPostmaster(pid, setup.cluster))) return undefined
  return launchPostmaster(setup, await findEngine(setup, await readMajor(setup.cluster)), pid)
}

async function throwIfHopeless(setup: ClusterSetup, { exit, logOffset }: Launch): Promise<void> {
  // Code 0 and death by signal: somebody stopped it.
  if (!exit?.code) return
  const said = await readLog(setup.logFile, logOffset)
  if (TRANSIENT.test(said)) return
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL did not start. ${said ? `It said:\n${lastLines(said)}` : ''}`,
    { cause: exit.error },
  )
}

const refused = ({ address }: ClusterSetup, error: unknown) =>
  new EmbeddedDatabaseError(
    `The PostgreSQL at ${address.host} refuses the service: ${error instanceof Error ? error.message : String(error)}. ` +
      `If it is not the embedded one, stop it, or set DATA_DIR to another folder.`,
    { cause: error },
  )

async function late(setup: ClusterSetup, error: unknown): Promise<EmbeddedDatabaseError> {
  const said = lastLines(await readLog(setup.logFile))
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL in ${setup.dataDir} was not ready after ${TIMEOUT_MS / 1000} s (${errorCodeOf(error)}). Its log, ${setup.logFile}, ends with:\n${said}`,
    { cause: error },
  )
}

/** A launch is over in milliseconds; a lock of this age was left by a process whose number is in use again. */
const MAX_AGE_MS = 10_000

/**
 * Runs `launch` unless another process is just doing so (undefined). PostgreSQL's own lock file does not do: of two servers
 * that find the file of a dead one, the second can remove the file that the first has just made.
 */
async function withLaunchLock<T>(dataDir: string, launch: () => Promise<T>): Promise<T | undefined> {
  // Windows lets only administrators make links.
  if (process.platform === 'win32') return launch()
  const lock = join(dataDir, 'launch.lock')
  if (!(await takeLock(lock))) return undefined
  try {
    return await launch()
  } finally {
    await rm(lock, { force: true })
  }
}

/** A link is made with its content in one step, and names its maker. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await symlink(`${process.pid}-${incarnation}`, lock)
    return true
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    await removeStaleLock(lock)
    return false
  }
}

async function removeStaleLock(lock: string): Promise<void> {
  const maker = await readlink(lock).catch(() => undefined)
  const made = await lstat(lock).catch(() => undefined)
  if (maker === undefined || !made) return
  if (!isStale(maker) && Date.now() - made.mtimeMs < MAX_AGE_MS) return
  // Moved away first: only one process gets it, and sees whether it is the one that was looked at.
  const moved = `${lock}.${randomBytes(4).toString('hex')}`
  await rename(lock, moved).catch(() => undefined)
  const taken = await readlink(moved).catch(() => maker)
  if (taken !== maker) await symlink(taken, lock).catch(() => undefined)
  await rm(moved, { force: true })
}
