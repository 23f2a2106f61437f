import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { explain } from './embedded/error.ts'
import { makeParents } from './embedded/place.ts'

/** The secret that development makes once and keeps beside its data, so that a restart signs nobody out. */
export function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'secret')
  // Only the folder itself is closed: the database may run as another user below the same parents.
  try {
    makeParents(dirname(resolve(dataDir)))
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explain(dataDir, error)
  }
  return checked(readSecret(file) ?? makeSecret(file), file)
}

/** A disk that filled up or lost power may leave less than was written; with that, anybody could sign. */
function checked(secret: string, file: string): string {
  if (/^[\w-]{64}$/.test(secret)) return secret
  throw new Error(`${file} is damaged: set SECRET, or delete the file, which signs everybody out, and start again`)
}

function readSecret(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Written whole, then linked into place: of two processes that start at once, both take the first one's. */
function makeSecret(file: string): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8')
}
