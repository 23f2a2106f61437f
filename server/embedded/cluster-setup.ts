import { accessSync, chmodSync, constants, lstatSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { chooseAddress, type ServerAddress } from './address.ts'
import { EmbeddedDatabaseError, unusableFolderMessage } from './error.ts'
import { findClosedFolder, findOwner, type Owner, refuseOpenParents, secureFolder } from './secure-folder.ts'

/** Paths, owner and address of one embedded database: everything that is fixed before it runs. */
export interface ClusterSetup {
  readonly dataDir: string
  /** The PostgreSQL data folder. */
  readonly cluster: string
  readonly logFile: string
  readonly owner: Owner | undefined
  readonly address: ServerAddress
  /** The folder of the npm package with the binaries. Null when there is none. */
  readonly packageFolder: string | null
  /** Additional PostgreSQL settings, which override ours. */
  readonly settings?: readonly string[]
  /** Ends a first start that is still making the database. */
  readonly leaving?: AbortSignal | undefined
}

/** Prepares the data folder for the user that runs PostgreSQL. The folder stays ours; that user gets subfolders. */
export async function prepareCluster(wanted: string, packageFolder: string | null): Promise<ClusterSetup> {
  // One spelling for all processes, since the path is hashed and compared with command lines.
  const dataDir = secureFolder(wanted)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const [cluster, logFile] = [join(dataDir, 'postgres'), join(dataDir, 'postgres.log')]
  const owner = findOwner(cluster)
  if (owner && isToOpen(owner, dataDir)) chmodSync(dataDir, 0o711)
  return { dataDir, cluster, logFile, owner, address: await chooseAddress(dataDir, owner), packageFolder }
}

/** Refuses a data folder that `prepareCluster` would refuse, but makes and opens nothing. */
export function refuseUnusable(wanted: string): void {
  const missing = firstMissing(resolve(wanted))
  const there = missing === undefined ? secureFolder(wanted) : dirname(refuseOpenParents(missing))
  accessSync(there, (missing === undefined ? constants.R_OK : 0) | constants.W_OK | constants.X_OK)
  const owner = findOwner(join(wanted, 'postgres'))
  if (owner) isToOpen(owner, missing === undefined ? there : resolve(wanted), there)
}

/** The outermost folder on the path that is not there. A link that leads nowhere is there. */
function firstMissing(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })) return undefined
  return firstMissing(dirname(path)) ?? path
}

/**
 * Whether the folder is new (empty except for the secret), so that it may be opened for the owner to enter it. Any other
 * folder, and those above, are left for their own owner to open. `there` is the last on the path that exists.
 */
function isToOpen(owner: Owner, dataDir: string, there = dataDir): boolean {
  const closed = findClosedFolder(there, owner)
  if (closed === undefined) return false
  if (closed === dataDir && readdirSync(dataDir).every((name) => name === 'secret')) return true
  const advice =
    closed === dataDir
      ? `Run: chmod a+x '${dataDir}'. Or set DATA_DIR to a separate folder for Postern`
      : 'Set DATA_DIR to a folder outside it'
  throw new EmbeddedDatabaseError(
    `${unusableFolderMessage(dataDir)}: PostgreSQL refuses to run as root, and the user that runs it instead (uid ${owner.uid}) cannot enter ${closed}. ` +
      `${advice} (/var/lib/postern, say), or DATABASE_URL to use a PostgreSQL server.`,
  )
}
