import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { withoutByteOrderMark } from '../../../shared/byte-order-mark.ts'
import { type CliError, usageError } from '../../output/cli-error.ts'
import { unreadableHint, whyUnreadable } from '../../process/file-faults.ts'
import type { Host } from '../../process/host.ts'

/** Services whose exports are read, and the files of each, for people; those in brackets need not be. */
export const products = {
  auth0: { words: 'USERS [PASSWORD-HASHES]', most: 2 },
  clerk: { words: 'USERS.CSV', most: 1 },
  firebase: { words: 'USERS.JSON --hash-config FILE', most: 1 },
  keycloak: { words: 'REALM.JSON...', most: Number.POSITIVE_INFINITY },
  supabase: { words: '--from URL, or USERS.CSV [IDENTITIES.CSV]', most: 2 },
} as const
export type Product = keyof typeof products
export const isProduct = (word: string): word is Product => Object.hasOwn(products, word)

/** A file is read more than once, and from any place. A pipe would be empty the second time, and nothing would come. */
export function readablePath({ cwd }: Host, file: string): string {
  const path = resolve(cwd, file)
  try {
    accessSync(path, constants.R_OK)
  } catch (cause) {
    throw unreadable(file, file, cause)
  }
  if (!statSync(path).isFile())
    throw usageError(`${file} is no regular file, so it cannot be read more than once`, 'Save what it holds as a file')
  if (isPacked(path)) throw usageError(`${file} is compressed`, 'Unpack it first: gunzip, or unzip')
  return path
}

/** Auth0 hands out its exports compressed. Otherwise each line would be reported as not UTF-8. */
function isPacked(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(4)
    return /^(1f8b|504b0304)/.test(start.toString('hex', 0, readSync(file, start)))
  } finally {
    closeSync(file)
  }
}

/** The text of the file that a flag names. */
export const readFlagFile = ({ cwd }: Host, file: string, flag: string): Promise<string> =>
  readFile(resolve(cwd, file), 'utf8').then(withoutByteOrderMark, (cause: unknown) => {
    throw unreadable(`${flag} ${file}`, flag, cause)
  })

const unreadable = (what: string, field: string, cause: unknown): CliError =>
  usageError(`${what} cannot be read: ${whyUnreadable(Object(cause))}`, unreadableHint, [field])
