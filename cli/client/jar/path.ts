import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefusedJar, StoredAccount } from '../../accounts/accounts.ts'
import { LocalStateError } from '../errors.ts'
import { isSignedIn, type JarContent, JarFormatError, parseJar } from './content.ts'
import { backUpUnreadable, readPrivate, shortHash } from './file.ts'

type JarEntry = Omit<StoredAccount, 'isCurrent'> | RefusedJar

/**
 * The jar's file for an origin and account: readable and valid on every file system. No name can lead to another
 * folder.
 */
export function jarPath(stateDir: string, origin: string, account: string): string {
  const hash = shortHash(`${origin}\n${addressOf(account)}`, 12)
  return join(jarFolder(stateDir), `${readableStart(origin, account)}${hash}.json`)
}

/** False when no file name matches the account, so that nothing needs to be hashed or opened. */
export async function mightHaveJar(stateDir: string, origin: string, account: string): Promise<boolean> {
  const start = readableStart(origin, account)
  const names = await readdir(jarFolder(stateDir)).catch((error: NodeJS.ErrnoException) => error.code !== 'ENOENT')
  return typeof names === 'boolean' ? names : names.some((name) => name.startsWith(start))
}

/** All jars in the state folder, sorted by origin and account. Refused ones come last. */
export async function listJars(stateDir: string, now: number): Promise<readonly JarEntry[]> {
  const folder = jarFolder(stateDir)
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name))
  const entries = await Promise.all(files.map((file) => entryOf(file, now)))
  return entries.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

async function entryOf(file: string, now: number): Promise<JarEntry> {
  try {
    const content = await loadJar(file)
    if (!content) return { file, problem: new LocalStateError(`${file} was just removed`, 'List again') }
    const { origin, account: email, impersonation } = content
    return { file, origin, email, isSignedIn: isSignedIn(content, now), impersonating: impersonation?.email }
  } catch (error) {
    if (error instanceof LocalStateError) return { file, problem: error }
    throw error
  }
}

const readableStart = (origin: string, account: string): string =>
  `${readable(new URL(origin).host)}_${readable(addressOf(account))}_`
const addressOf = (account: string): string => account.trim().toLowerCase()
const jarFolder = (stateDir: string): string => join(stateDir, 'jars')
const sortKey = (entry: JarEntry): string => ('problem' in entry ? `~${entry.file}` : `${entry.origin} ${entry.email}`)
const readable = (text: string): string =>
  text
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .slice(0, 40)
    .toLowerCase()

/**
 * Reads a jar's file. Undefined when it does not exist. A damaged file is copied aside and refused, never overwritten.
 */
export async function loadJar(file: string): Promise<JarContent | undefined> {
  const text = await readPrivate(file)
  if (text === undefined) return undefined
  try {
    return parseJar(text)
  } catch (error) {
    if (!(error instanceof JarFormatError)) throw error
    throw jarError(file, error, await backUpUnreadable(file, text))
  }
}

function jarError(file: string, cause: JarFormatError, copy: string | undefined): LocalStateError {
  const kept = copy === undefined ? '' : `; a copy is kept in ${copy}`
  return cause.kind === 'newer'
    ? new LocalStateError(
        `${file} was written by a newer postern (${cause.message})${kept}`,
        'Update postern, or choose another folder with POSTERN_STATE_DIR',
        cause,
      )
    : new LocalStateError(
        `${file} is damaged: ${cause.message}${kept}`,
        'Run `postern auth jar clear`, then sign in again',
        cause,
      )
}
