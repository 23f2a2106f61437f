import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedDatabaseError, errorCodeOf, unusableFolderMessage } from './error.ts'

/** The uid shown for root's files in a user namespace that does not map root. */
const UNMAPPED = 65534

/**
 * Returns the real path of a folder in which, and above which, nobody else can create or replace anything, so that what
 * was checked stays true. Creates the folder if it is missing. An existing one is accepted unchanged, or refused with
 * an explanation.
 */
export function secureFolder(wanted: string): string {
  // When we are root, the user that runs PostgreSQL must pass through this folder. Everything in it has its own
  // permissions.
  const folder = createSafely(resolve(wanted), isRoot() ? 0o711 : 0o700)
  const stats = statSync(folder)
  const stranger = strangerOf(stats)
  if (stranger !== undefined) throw refusal(folder, stranger, isRoot() ? takeBackHint(folder) : '')
  const writer = writerOf(stats)
  if (writer !== undefined)
    throw refusal(
      folder,
      writer,
      isSticky(stats) ? 'A folder inside it will do.' : `Or close it: chmod go-w '${folder}'`,
    )
  return folder
}

/** Returns the real path of a file or folder. Refuses it when others could redirect a folder on the way. */
export function refuseOpenParents(path: string): string {
  const parent = createSafely(dirname(path), 0o755)
  const stats = statSync(parent)
  // In a sticky folder everybody can create files, but nobody can remove another user's.
  const reason = strangerOf(stats, isRoot() ? [] : [UNMAPPED]) ?? (isSticky(stats) ? undefined : writerOf(stats))
  if (reason !== undefined && stats.isDirectory()) throw refusal(path, `${parent} is its parent folder, and ${reason}`)
  return join(parent, basename(path))
}

/**
 * Walks down from the root and checks each folder before the next step: a whole path could lead through another user's
 * link.
 */
function createSafely(path: string, mode: number): string {
  if (path === dirname(path)) return path
  const real = refuseOpenParents(path)
  const there = lstatSync(real, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) return createSafely(targetOf(real, there), mode)
  if (!there?.isDirectory()) makeFolder(real, mode)
  return real
}

function targetOf(link: string, stats: Stats): string {
  const stranger = strangerOf(stats)
  if (stranger !== undefined) throw refusal(link, `it is a link, and ${stranger}`)
  // Throws for a link that leads nowhere or in a circle.
  realpathSync(link)
  return resolve(dirname(link), readlinkSync(link))
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
    // Root's umask may be 077, but the user that runs PostgreSQL must pass through the folders we create.
    if (isRoot()) chmodSync(folder, mode)
  } catch (error) {
    // Another start may have been faster.
    if (errorCodeOf(error) !== 'EEXIST' || !lstatSync(folder).isDirectory()) throw error
  }
}

function strangerOf({ uid }: Stats, known: readonly number[] = []): string | undefined {
  const isKnown = [0, process.getuid?.() ?? uid, ...known].includes(uid)
  return isKnown ? undefined : `it belongs to another user (uid ${uid})`
}

function writerOf({ mode, gid }: Stats): string | undefined {
  if (process.platform === 'win32') return undefined
  if ((mode & 0o002) !== 0) return 'everybody can write to it'
  // An ordinary user may give a group write access. A folder that root runs from must be writable by root alone.
  return isRoot() && gid !== 0 && (mode & 0o020) !== 0 ? `its group (gid ${gid}) can write to it` : undefined
}

const takeBackHint = (folder: string) =>
  `Or run Postern as that user. Or, if the folder holds only Postern's data: chown 0:0 '${folder}' && chmod 711 '${folder}'`

function refusal(folder: string, reason: string, more = ''): EmbeddedDatabaseError {
  const whose = isRoot() ? 'root alone can change (/var/lib/postern, say)' : 'you alone can change'
  return new EmbeddedDatabaseError(
    `${unusableFolderMessage(folder)}: ${reason}. Set DATA_DIR to a folder that ${whose}. ${more}`.trim(),
  )
}

const isSticky = ({ mode }: Stats): boolean => (mode & 0o1000) !== 0
const isRoot = (): boolean => process.getuid?.() === 0

/** The user that runs PostgreSQL when we are root, since PostgreSQL refuses to run as root. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

const nobody: Owner = { uid: 65534, gid: 65534 }

/**
 * The owner of the database. For a new one, the user `postgres` or else `nobody`. Undefined when we are not root and
 * run it ourselves.
 */
export function findOwner(cluster: string, passwd = '/etc/passwd'): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const there = statSync(cluster, { throwIfNoEntry: false })
  if (there && there.uid !== 0) return { uid: there.uid, gid: there.gid }
  return readUser('postgres', passwd) ?? nobody
}

function readUser(name: string, passwd: string): Owner | undefined {
  const line = readFileSync(passwd, 'utf8').split('\n')
  const fields = line.find((entry) => entry.startsWith(`${name}:`))?.split(':')
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** The outermost folder on the path to `path`, or `path` itself, that the owner cannot enter. */
export function findClosedFolder(path: string, owner: Owner): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : findClosedFolder(parent, owner)
  return above ?? (mayEnter(statSync(path), owner) ? undefined : path)
}

function mayEnter(folder: Stats, owner: Owner): boolean {
  if (folder.uid === owner.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === owner.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}
