import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { commandLine } from '../../output/shell-line.ts'
import { LocalStateError, reasonOf } from '../errors.ts'
import { makeFolder, unwritableHint } from '../folder.ts'

const [ownerOnly, writableByOthers] = [0o077, 0o022]
// More than a full jar of the largest cookies takes.
const maxFileSize = 8_388_608

/** The text of a private file, or undefined when it does not exist. Throws when others could read or write it. */
export async function readPrivate(file: string): Promise<string | undefined> {
  const handle = await openOrNone(file)
  if (!handle) return undefined
  try {
    await checkFile(file, handle)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file atomically, with mode 0600: after a crash it holds the old text or the new. The caller must hold the
 * file's lock.
 */
export async function writePrivate(file: string, text: string): Promise<void> {
  // A name of its own, so that no writer ever completes the draft of another, even if the lock was removed by hand.
  const draft = `${file}.${crypto.randomUUID()}.tmp`
  try {
    await writeDraft(draft, text)
    await rename(draft, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw unusableError(file, 'write', error)
  }
  await removeOldDrafts(file)
}

/** Removes a private file and all its drafts. The caller must hold the file's lock. */
export async function removePrivate(file: string): Promise<void> {
  await rm(file, { force: true })
  for (const draft of await draftsOf(file)) await rm(draft, { force: true })
}

/** In milliseconds. Writing a draft takes a moment, so an older one was left by a crash. */
const draftLife = 60_000

/** Removes the drafts that a crash has left. One that cannot be removed is left to the next write. */
export async function removeOldDrafts(file: string): Promise<void> {
  const isOld = async (draft: string) => (await lstat(draft)).mtimeMs < Date.now() - draftLife
  for (const draft of await draftsOf(file)) if (await isOld(draft).catch(() => false)) await rm(draft).catch(() => {})
}

async function draftsOf(file: string): Promise<readonly string[]> {
  const names = await readdir(dirname(file)).catch(() => [])
  return names.filter((name) => isDraftOf(basename(file), name)).map((name) => join(dirname(file), name))
}

/** Older versions had a single draft, without a name of its own. */
const isDraftOf = (name: string, draft: string): boolean =>
  draft.startsWith(name) && /^(?:\.[\da-f-]{36})?\.tmp$/.test(draft.slice(name.length))

/** Creates the folder with mode 0700, or checks that an existing one belongs to this user. */
export async function preparePrivateFolder(folder: string): Promise<void> {
  try {
    const made = await makeFolder(folder)
    if (made !== undefined) return await chmod(folder, 0o700)
  } catch (error) {
    throw unusableError(folder, 'create', error)
  }
  await checkFolder(folder)
}

/**
 * Throws when others can write to the folder: its jars could hold another person's session. A missing folder is fine.
 */
export async function checkNotWritableByOthers(folder: string): Promise<void> {
  const stats = await stat(folder).catch(() => undefined)
  if (!stats) return
  checkOwner(folder, stats.uid)
  if (isShared(stats.mode, writableByOthers)) throw sharedError(folder, 'write in')
}

/**
 * Copies the text of an unreadable jar to a file next to it, once, and returns that path. Undefined when the copy
 * fails.
 */
export async function backUpUnreadable(file: string, text: string): Promise<string | undefined> {
  const copy = `${file}.${shortHash(text, 8)}.kept`
  try {
    await writeFile(copy, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return undefined
  }
  return copy
}

async function openOrNone(file: string): Promise<FileHandle | undefined> {
  try {
    // Does not follow links, and does not block on a pipe.
    return await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new LocalStateError(`${file} is a symbolic link`, 'Remove the link, then sign in again')
    throw unusableError(file, 'read', error)
  }
}

async function checkFile(file: string, handle: FileHandle): Promise<void> {
  const stats = await handle.stat()
  if (!stats.isFile()) throw new LocalStateError(`${file} is not a file`, 'Remove it, then sign in again')
  checkOwner(file, stats.uid)
  if (isShared(stats.mode, ownerOnly))
    throw new LocalStateError(`Others can read ${file}`, `Run: ${commandLine('chmod', '600', file)}`)
  if (stats.size > maxFileSize)
    throw new LocalStateError(`${file} is too large to be a jar`, 'Remove it, then sign in again')
}

async function checkFolder(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder)
  checkOwner(folder, uid)
  if (isShared(mode, ownerOnly)) throw sharedError(folder, 'enter')
}

function checkOwner(path: string, uid: number): void {
  const me = process.getuid?.()
  if (me === undefined || uid === me) return
  throw new LocalStateError(
    `${path} belongs to another user (${uid})`,
    'Run as that user, or choose another folder with POSTERN_STATE_DIR',
  )
}

const isShared = (mode: number, forbidden: number): boolean => process.platform !== 'win32' && (mode & forbidden) !== 0

const sharedError = (folder: string, how: string): LocalStateError =>
  new LocalStateError(`Others can ${how} ${folder}`, `Run: ${commandLine('chmod', '700', folder)}`)

async function writeDraft(draft: string, text: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600)
  try {
    if (process.platform !== 'win32') await handle.chmod(0o600)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// Windows cannot sync a folder and does not need to.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const unusableError = (path: string, action: string, cause: unknown): LocalStateError =>
  new LocalStateError(
    `Cannot ${action} ${path} (${reasonOf(cause)})`,
    unwritableHint(
      'state',
      cause,
      'Check the folder, its owner and the free space, or choose another with POSTERN_STATE_DIR',
    ),
    cause,
  )

/**
 * The first characters of a hash, for file names. The module is loaded on first use, since most short runs need no
 * hash.
 */
export const shortHash = (text: string, length: number): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, length)
