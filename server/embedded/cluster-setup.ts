import { accessSync, chmodSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { chooseAddress, type ServerAddress } from './address.ts'
import { EmbeddedDatabaseError, unusableFolderMessage } from './error.ts'
import { findClosedFolder, findOwner, type Owner, secureFolder } from './secure-folder.ts'

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
}

/** Prepares the data folder for the user that runs PostgreSQL. The folder stays ours; that user gets subfolders. */
export async function prepareCluster(wanted: string, packageFolder: string | null): Promise<ClusterSetup> {
  // One spelling for all processes, since the path is hashed and compared with command lines.
  const dataDir = secureFolder(wanted)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const [cluster, logFile] = [join(dataDir, 'postgres'), join(dataDir, 'postgres.log')]
  const owner = findOwner(cluster)
  if (owner) openFolderTo(owner, dataDir)
  return { dataDir, cluster, logFile, owner, address: await chooseAddress(dataDir, owner), packageFolder }
}

/**
 * A new folder (empty except for the secret) is opened so that the owner can enter it. Any other folder is left for its
 * own owner to open.
 */
function openFolderTo(owner: Owner, dataDir: string): void {
  const closed = findClosedFolder(dataDir, owner)
  if (closed === undefined) return
  const isNew = readdirSync(dataDir).every((name) => name === 'secret')
  if (closed === dataDir && isNew) return chmodSync(dataDir, 0o711)
  const advice =
    closed === dataDir
      ? `Run: chmod a+x '${dataDir}'. Or set DATA_DIR to a separate folder for Postern`
      : 'Set DATA_DIR to a folder outside it'
  throw new EmbeddedDatabaseError(
    `${unusableFolderMessage(dataDir)}: PostgreSQL refuses to run as root, and the user that runs it instead (uid ${owner.uid}) cannot enter ${closed}. ` +
      `${advice} (/var/lib/postern, say), or DATABASE_URL to use a PostgreSQL server.`,
  )
}
