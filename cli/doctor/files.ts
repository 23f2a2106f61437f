import type { Stats } from 'node:fs'
import { chmod, lstat, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unwritableHint } from '../client/folder.ts'
import { JarFormatError, parseJar } from '../client/jar/content.ts'
import { readPrivate } from '../client/jar/file.ts'
import { isHolderGone, readHolder, withLock } from '../client/lock.ts'
import type { Context } from '../context.ts'
import { commandLine } from '../output/shell-line.ts'
import { whyUnwritable } from '../process/file-faults.ts'
import { readConfig } from '../settings/config-file.ts'
import { errorFinding, type Finding, ok, problem, warning } from './findings.ts'

/** Permission bits that other users must not have. */
const modeBits = { write: 0o022, any: 0o077 } as const

/** Checks the config file: whoever can write there decides where passwords are sent. */
export async function configFindings({ configPath, folders }: Context): Promise<readonly Finding[]> {
  const found = [
    ...(await pathFindings('config', folders.config, { not: modeBits.write, mode: 0o700 })),
    ...(await pathFindings('config', configPath, { not: modeBits.write, mode: 0o600 })),
    ...(await leftovers('config', folders.config, ourConfig)),
  ].map(local)
  if (found.some(({ status }) => status === 'problem')) return found
  try {
    readConfig(configPath)
    const isThere = await infoOf(configPath)
    return [ok('config', isThere ? configPath : `No config file yet: ${configPath}`), ...found]
  } catch (error) {
    return [...found, local(errorFinding('config', error))]
  }
}

/** Checks the folders and files of sessions and waiting sign-ins, which must be private. */
export async function stateFindings({ folders }: Context): Promise<readonly Finding[]> {
  const places = [folders.state, join(folders.state, 'jars'), join(folders.state, 'tickets')]
  const all = await Promise.all(
    places.map(async (place, index) => [
      ...(await pathFindings('state', place, { not: index === 0 ? modeBits.write : modeBits.any, mode: 0o700 })),
      ...(await fileFindings(place, index === 0 ? ourState : anyJar)),
      ...(await leftovers('state', place, index === 0 ? ourState : anyJar)),
    ]),
  )
  const unsafe = all.flat()
  const isSafe = unsafe.every(({ status }) => status !== 'problem')
  const found = [...unsafe, ...(isSafe ? await writingFindings(folders.state) : [])].map(local)
  const jars = (await namesIn(places[1] ?? '')).filter((name) => name.endsWith('.json')).length
  const count = `${jars} ${jars === 1 ? 'account is' : 'accounts are'} kept in ${folders.state}`
  return found.some(({ status }) => status === 'problem') ? found : [ok('state', count), ...found]
}

/** Whether a session could be kept, which a full disk and a read-only file system show only when one writes there. */
async function writingFindings(folder: string): Promise<readonly Finding[]> {
  const trial = join(await nearestFolder(folder), `.postern.${crypto.randomUUID()}.tmp`)
  try {
    await writeFile(trial, 'Written by postern doctor\n', { flag: 'wx', mode: 0o600 })
    return []
  } catch (error) {
    const message = `Nothing can be written in ${folder}: ${whyUnwritable(error as NodeJS.ErrnoException)}`
    return [problem('state', message, unwritableHint('state', error, elsewhereForState))]
  } finally {
    await rm(trial, { force: true }).catch(() => {})
  }
}

/** The folder, or the nearest one above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const parent = dirname(folder)
  return parent === folder || (await infoOf(folder)) ? folder : nearestFolder(parent)
}

const elsewhereForState = 'Choose a folder that you may write in: POSTERN_STATE_DIR'

const local = (finding: Finding): Finding => ({ ...finding, isLocal: true })

interface PermissionRule {
  /** Permission bits that it must not have. */
  readonly not: number
  /** The mode that a repair sets. */
  readonly mode: number
}

async function pathFindings(check: string, path: string, { not, mode }: PermissionRule): Promise<readonly Finding[]> {
  const stats = await infoOf(path)
  if (!stats || process.platform === 'win32') return []
  const me = process.getuid?.() ?? stats.uid
  if (stats.uid !== me) {
    const message = `${path} belongs to another user (${stats.uid})`
    return [problem(check, message, 'Run as that user, or choose other folders: POSTERN_CONFIG_DIR, POSTERN_STATE_DIR')]
  }
  if ((stats.mode & not) === 0) return []
  const message = `Others can ${not === modeBits.write ? 'write' : 'get'} into ${path}`
  if (await isSharedPlace(path, stats)) return [problem(check, message, elsewhere)]
  const octal = mode.toString(8)
  return [{ ...problem(check, message, commandLine('chmod', octal, path)), repair: () => chmod(path, mode) }]
}

const elsewhere = 'Choose folders that nobody else uses: POSTERN_CONFIG_DIR, POSTERN_STATE_DIR'

/**
 * Whether others use this place too, such as /tmp, a device or the target of a link: closing it would break something
 * else.
 */
async function isSharedPlace(path: string, stats: Stats): Promise<boolean> {
  const isSticky = (stats.mode & 0o1000) !== 0
  const isOfKind = stats.isDirectory() || stats.isFile()
  return isSticky || !isOfKind || (await lstat(path)).isSymbolicLink()
}

/** Checks the jars, tickets and the file of the current account in a folder. */
async function fileFindings(folder: string, ours: RegExp): Promise<readonly Finding[]> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.json') && ours.test(name))
  return (await Promise.all(names.map((name) => jarFindings(join(folder, name))))).flat()
}

async function jarFindings(file: string): Promise<readonly Finding[]> {
  const info = await lstat(file).catch(() => undefined)
  if (info?.isFile()) {
    const byMode = await pathFindings('state', file, { not: modeBits.any, mode: 0o600 })
    if (byMode.length > 0) return byMode
  }
  try {
    const text = await readPrivate(file)
    if (text !== undefined && basename(join(file, '..')) === 'jars') parseJar(text)
    return []
  } catch (error) {
    return [error instanceof JarFormatError ? damaged(file, error) : errorFinding('state', error)]
  }
}

/** Never repaired: it could hold a session that a newer version or a person can still use. */
const damaged = (file: string, { kind, message }: JarFormatError): Finding =>
  kind === 'newer'
    ? problem('state', `${file} was written by a newer postern (${message})`, 'Update postern')
    : problem('state', `${file} is damaged: ${message}`, `Look at it, then sign in again: ${commandLine('rm', file)}`)

/** Only our own files are checked, because a folder that somebody configured can hold other files. */
const [ourConfig, ourState, anyJar] = [/^config\.json/, /^(?:current|visits)\.json/, /\.json/]

/** Leftovers of a process that was killed while writing: drafts and abandoned locks. */
async function leftovers(check: string, folder: string, ours: RegExp): Promise<readonly Finding[]> {
  const names = (await namesIn(folder)).filter((name) => ours.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      if (name.endsWith('.lock')) return lockFinding(check, path)
      if (/\.lock\.\d+\.[\da-f-]{36}$/.test(name)) return draftOfLock(check, path)
      return name.endsWith('.tmp') ? draftFinding(check, path) : undefined
    }),
  )
  return found.flatMap((finding) => finding ?? [])
}

async function lockFinding(check: string, lock: string): Promise<Finding | undefined> {
  const holder = await readHolder(lock)
  if (!holder) return warning(check, `${lock} is a lock that names no owner`, commandLine('rm', lock))
  if (!(await isHolderGone(holder))) return ok(check, `${lock} is held by process ${holder.pid} on ${holder.host}`)
  const message = `${lock} was left by a process that is gone (${holder.pid})`
  return { ...warning(check, message, fixLine), repair: () => takeAndRelease(lock.replace(/\.lock$/, '')) }
}

async function draftOfLock(check: string, path: string): Promise<Finding | undefined> {
  const holder = await readHolder(path)
  if (!holder || !(await isHolderGone(holder))) return undefined
  return { ...warning(check, `${path} is left over from a lock`, fixLine), repair: () => rm(path, { force: true }) }
}

/** During a write there is a lock next to the draft. */
async function draftFinding(check: string, draft: string): Promise<Finding | undefined> {
  const file = draft.replace(/(?:\.[\da-f-]{36})?\.tmp$/, '')
  const holder = await readHolder(`${file}.lock`)
  if (holder && !(await isHolderGone(holder))) return undefined
  const repair = () => takeAndRelease(file, () => rm(draft, { force: true }))
  return { ...warning(check, `${draft} is left over from an interrupted write`, fixLine), repair }
}

const fixLine = 'postern doctor --fix'

/** Taking a lock breaks abandoned ones, and the work inside it disturbs no other process. */
const takeAndRelease = (file: string, work: () => Promise<unknown> = async () => {}) =>
  withLock(file, { wait: 1000 }, work)

const infoOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined)
const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])
