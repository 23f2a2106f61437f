import { accessSync, chmodSync, constants, lchownSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Address, chooseAddress } from './address.ts'
import { EmbeddedDatabaseError, unusable } from './error.ts'
import { findClosedFolder, findOwner, type Owner } from './owner.ts'

/** Everything that is fixed about one embedded database before it runs. */
export interface Place {
  readonly dataDir: string
  /** The PostgreSQL data folder. */
  readonly cluster: string
  readonly logFile: string
  readonly owner: Owner | undefined
  readonly address: Address
  /** Folder of the npm package with the binaries; null: there is none. */
  readonly packageFolder: string | null
}

/** Makes the data folder ready for the user that will run PostgreSQL. */
export async function preparePlace(dataDir: string, packageFolder: string | null): Promise<Place> {
  const wanted = resolve(dataDir)
  const owner = findOwner(join(wanted, 'postgres'))
  makeDataDir(wanted, owner)
  // One spelling for all processes: it is compared with command lines and hashed.
  const real = realpathSync(wanted)
  const address = await chooseAddress(real, owner)
  const [cluster, logFile] = [join(real, 'postgres'), join(real, 'postgres.log')]
  return { dataDir: real, cluster, logFile, owner, address, packageFolder }
}

function makeDataDir(dataDir: string, owner: Owner | undefined): void {
  const there = statSync(dataDir, { throwIfNoEntry: false }) !== undefined
  if (!there) makeParents(dirname(dataDir))
  if (!there) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  if (owner) openTo(owner, dataDir, there)
}

/** Makes what is missing above a folder of ours, so that who runs PostgreSQL instead of root gets through. */
export function makeParents(parent: string): void {
  const first = mkdirSync(parent, { recursive: true, mode: 0o755 })
  if (first === undefined || process.getuid?.() !== 0) return
  // Root's umask may be 077; the user that runs PostgreSQL has to get through what we made.
  for (let made = parent; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755)
}

function openTo(owner: Owner, dataDir: string, there: boolean): void {
  const closed = findClosedFolder(realpathSync(dirname(dataDir)), owner)
  if (closed !== undefined) {
    throw new EmbeddedDatabaseError(
      `${unusable(dataDir)}: PostgreSQL refuses to run as root, and the user that runs it instead (uid ${owner.uid}) may not enter ${closed}. ` +
        `Set DATA_DIR to a folder outside it (/var/lib/postern, say), or DATABASE_URL to use a PostgreSQL server.`,
    )
  }
  if (!there || findClosedFolder(realpathSync(dataDir), owner)) lchownSync(dataDir, owner.uid, owner.gid)
}
