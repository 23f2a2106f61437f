import { setTimeout as sleep } from 'node:timers/promises'
import { readMajor } from './cluster.ts'
import { findEngine } from './engine.ts'
import { codeOf, EmbeddedDatabaseError } from './error.ts'
import { withLaunchLock } from './launch-lock.ts'
import { type Lease, takeLease } from './lease.ts'
import type { Place } from './place.ts'
import { isPostmaster, type Launch, launchPostmaster, readPid } from './postmaster.ts'
import { lastLines, readLog } from './server-log.ts'

const PATIENCE_MS = 20_000

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
export async function joinServer(place: Place, onLost: () => void): Promise<Lease> {
  let deadline = Date.now() + PATIENCE_MS
  let launch: Launch | undefined
  for (;;) {
    try {
      return await takeLease(place.address, onLost)
    } catch (error) {
      if (codeOf(error) === BUSY) deadline = Date.now() + PATIENCE_MS
      else if (!passing.has(codeOf(error))) throw refused(place, error)
      if (Date.now() > deadline) throw await late(place, error)
      launch = await ensureLaunched(place, launch)
      await sleep(launch?.exit || codeOf(error) === BUSY ? 50 : 10)
    }
  }
}

async function ensureLaunched(place: Place, launch: Launch | undefined): Promise<Launch | undefined> {
  if (launch && !launch.exit) return launch
  if (launch) await throwIfHopeless(place, launch)
  return (await withLaunchLock(place.dataDir, () => launchUnlessRunning(place))) ?? launch
}

async function launchUnlessRunning(place: Place): Promise<Launch | undefined> {
  const pid = await readPid(place.cluster)
  if (pid !== undefined && (await isPostmaster(pid, place.cluster))) return undefined
  return launchPostmaster(place, await findEngine(place, await readMajor(place.cluster)), pid)
}

async function throwIfHopeless(place: Place, { exit, logOffset }: Launch): Promise<void> {
  // Code 0 and death by signal: somebody stopped it.
  if (!exit?.code) return
  const said = await readLog(place.logFile, logOffset)
  if (TRANSIENT.test(said)) return
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL did not start. ${said ? `It said:\n${lastLines(said)}` : ''}`,
    { cause: exit.error },
  )
}

const refused = ({ address }: Place, error: unknown) =>
  new EmbeddedDatabaseError(
    `The PostgreSQL at ${address.host} refuses the service: ${error instanceof Error ? error.message : String(error)}. ` +
      `If it is not the embedded one, stop it, or set DATA_DIR to another folder.`,
    { cause: error },
  )

async function late(place: Place, error: unknown): Promise<EmbeddedDatabaseError> {
  const said = lastLines(await readLog(place.logFile))
  return new EmbeddedDatabaseError(
    `The embedded PostgreSQL in ${place.dataDir} was not ready after ${PATIENCE_MS / 1000} s (${codeOf(error)}). Its log, ${place.logFile}, ends with:\n${said}`,
    { cause: error },
  )
}
