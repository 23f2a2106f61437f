import { randomBytes } from 'node:crypto'
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../shared/within.ts'
import type { ServerAddress } from './address.ts'
import { DATABASE_NAME, ensureCluster, readMajor } from './cluster.ts'
import { type ClusterSetup, prepareCluster } from './cluster-setup.ts'
import { removeStaleDrafts } from './draft.ts'
import { findEngine, findPackage } from './engine.ts'
import { EmbeddedDatabaseError, errorCodeOf, explainFileError } from './error.ts'
import { type Lease, releaseLease, stopUnused, takeLease } from './lease.ts'
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
  /** Leaves the server. The last process to leave stops it (fast shutdown) and waits until it has ended. */
  stop(): Promise<void>
}

const RETRY_MS = 1000
/** A server that stands still, on a disk that hangs say, must not keep the service from ending. */
const RELEASE_MS = 5000

/**
 * Joins the PostgreSQL of `dataDir`, creating and starting it if needed, and keeps it running until `stop`.
 * `packageFolder` is the npm package with the binaries; null uses only PostgreSQL on the system. `settings`
 * (`fsync=off`) override ours if this call starts the server. `leaving` ends a start that is making the database. Throws
 * EmbeddedDatabaseError, which says what to do.
 */
export async function startEmbedded(options: {
  readonly dataDir: string
  readonly log: EmbeddedLog
  readonly packageFolder?: string | null
  readonly settings?: readonly string[]
  readonly leaving?: AbortSignal | undefined
}): Promise<Embedded> {
  const { dataDir, log, packageFolder = findPackage(), settings = [], leaving } = options
  try {
    const setup = { ...(await prepareCluster(dataDir, packageFolder)), settings, leaving }
    await removeStaleDrafts(setup)
    await ensureCluster(setup)
    return await keepServer(setup, log)
  } catch (error) {
    throw explainFileError(dataDir, error)
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

  // The lease's connection ends with the postmaster, since idle children notice at once. That is how we learn that it
  // died.
  async function recover(): Promise<void> {
    log.warn({ dataDir: setup.dataDir }, 'lost the connection to the embedded PostgreSQL; joining or starting it again')
    while (!leaving.signal.aborted) {
      try {
        await lease.end({ timeout: 0 })
        lease = await joinServer(setup, onLost)
        return log.info({ dataDir: setup.dataDir }, 'embedded PostgreSQL is ready again')
      } catch (error) {
        log.warn({ err: error }, 'the embedded PostgreSQL did not come back; trying again')
        await sleep(RETRY_MS, undefined, { ref: false, signal: leaving.signal }).catch(() => undefined)
      }
    }
  }

  function leftRunning(): boolean {
    log.warn({ dataDir: setup.dataDir }, 'the embedded PostgreSQL does not answer, so it is left running')
    return false
  }

  async function leave(): Promise<void> {
    leaving.abort()
    await recovery
    const last = await within(RELEASE_MS, releaseLease(lease), leftRunning).catch(() => false)
    if (last) await stopPostmaster(setup, () => findEngine(setup))
    await lease.end({ timeout: 0 })
  }

  const connection = { ...setup.address, user: DATABASE_NAME, database: DATABASE_NAME }
  return { connection, stop: () => (stopped ??= leave()) }
}

const TIMEOUT_MS = 20_000

/** 57P03: starting up, recovering or shutting down. The server is alive, so we wait however long it takes. */
const BUSY = '57P03'

/** No server, a server that has just stopped, no free connection, or a database that another start is copying. */
const passing = new Set(
  'ENOENT ECONNREFUSED ECONNRESET EPIPE CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED CONNECT_TIMEOUT 57P01 57P02 53300 55006'.split(
    ' ',
  ),
)

/** Another server uses the folder, or child processes of a killed one are still running. */
const TRANSIENT = /lock file ".*" already exists|shared memory block .* still in use/

/** Joins the server that runs on the folder, or starts one and joins that. */
async function joinServer(setup: ClusterSetup, onLost: () => void): Promise<Lease> {
  const own: { launch?: Launch | undefined } = {}
  try {
    return await joinOrLaunch(setup, onLost, own)
  } catch (error) {
    if (own.launch && !own.launch.exit) await stopLaunched(setup)
    throw error
  }
}

/** Keeps in `own` the server that it starts. */
async function joinOrLaunch(
  setup: ClusterSetup,
  onLost: () => void,
  own: { launch?: Launch | undefined },
): Promise<Lease> {
  let deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await takeLease(setup.address, onLost)
    } catch (error) {
      if (errorCodeOf(error) === BUSY) deadline = Date.now() + TIMEOUT_MS
      else if (!passing.has(errorCodeOf(error))) throw refused(setup, error)
      if (Date.now() > deadline) throw await late(setup, error)
      own.launch = await ensureLaunched(setup, own.launch)
      await sleep(own.launch?.exit || errorCodeOf(error) === BUSY ? 50 : 10)
    }
  }
}

/** Nobody else would stop a server that was started in vain. If it cannot be reached, others may be using it. */
const stopLaunched = (setup: ClusterSetup): Promise<void> =>
  stopUnused(setup.address, () => stopPostmaster(setup, () => findEngine(setup))).catch(() => undefined)

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
  // Exit code 0 or death by signal: somebody stopped it.
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
      `If it is not the embedded server, stop it, or set DATA_DIR to another folder.`,
    { cause: error },
  )

async function late(setup: ClusterSetup, error: unknown): Promise<EmbeddedDatabaseError> {
  const said = lastLines(await readLog(setup.logFile))
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL in ${setup.dataDir} was not ready after ${TIMEOUT_MS / 1000} s (${errorCodeOf(error)}). Its log, ${setup.logFile}, ends with:\n${said}`,
    { cause: error },
  )
}

/** A launch takes milliseconds. A lock this old was left by a process whose pid is in use again. */
const MAX_AGE_MS = 10_000

/**
 * Runs `launch` unless another process is launching at the moment (then undefined). PostgreSQL's own lock file is not
 * enough: of two servers that find a dead one's file, the second can remove the file that the first has just created.
 */
async function withLaunchLock<T>(dataDir: string, launch: () => Promise<T>): Promise<T | undefined> {
  // On Windows only administrators can create links.
  if (process.platform === 'win32') return launch()
  const lock = join(dataDir, 'launch.lock')
  if (!(await takeLock(lock))) return undefined
  try {
    return await launch()
  } finally {
    await rm(lock, { force: true })
  }
}

/** A link is created with its content in one step, and names the process that created it. */
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
  // Moves the lock away first: only one process succeeds, and can check that it is still the lock it looked at.
  const moved = `${lock}.${randomBytes(4).toString('hex')}`
  await rename(lock, moved).catch(() => undefined)
  const taken = await readlink(moved).catch(() => maker)
  if (taken !== maker) await symlink(taken, lock).catch(() => undefined)
  await rm(moved, { force: true })
}
