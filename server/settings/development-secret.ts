import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainFileError } from '../embedded/error.ts'
import { secureFolder } from '../embedded/secure-folder.ts'
import { writeOnce } from '../embedded/write-once.ts'

interface Secrets {
  readonly SECRETS: readonly string[]
  readonly DATA_DIR: string
}

/** The settings; where they have no secret, with that of development. */
export const withSecret = <S extends Secrets>(settings: S): S =>
  settings.SECRETS.length > 0 ? settings : { ...settings, SECRETS: [developmentSecret(settings.DATA_DIR)] }

/** The development secret, created once beside the data so that a restart signs nobody out. */
export function developmentSecret(dataDir: string): string {
  const folder = explained(dataDir, () => secureFolder(dataDir))
  const file = join(folder, 'secret')
  const kept = readSecret(file)
  if (kept === null) explained(dataDir, () => writeOnce(file, randomBytes(48).toString('base64url')))
  return checked(kept ?? readSecret(file), file)
}

function explained<T>(dataDir: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw explainFileError(dataDir, error)
  }
}

/** A full disk or a power cut may have truncated the file. A truncated secret would let anybody sign. */
function checked(secret: string | null, file: string): string {
  if (secret !== null && /^[\w-]{64}$/.test(secret)) return secret
  throw new Error(`${file} is damaged: set SECRET, or delete the file, which signs everybody out, and start again`)
}

function readSecret(file: string): string | null {
  const handle = openOrNone(file)
  if (handle === null) return null
  try {
    const { uid, mode } = fstatSync(handle)
    const isPrivate = uid === process.getuid?.() && (mode & 0o170077) === 0o100000
    if (isPrivate || process.platform === 'win32') return readFileSync(handle, 'utf8')
    throw notPrivate(file)
  } finally {
    closeSync(handle)
  }
}

function openOrNone(file: string): number | null {
  try {
    // Does not follow links, and does not block on a pipe.
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw code === 'ELOOP' ? notPrivate(file) : error
  }
}

const notPrivate = (file: string) =>
  new Error(
    `${file} is not a file that only its owner can read: set SECRET, or make it private (chmod 600 '${file}'), or delete it`,
  )
