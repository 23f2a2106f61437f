import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageError } from '../../output/cli-error.ts'
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
  if (!existsSync(path)) throw usageError(`No file ${file}`, 'A file of records, or - for stdin')
  if (statSync(path).isFile()) return path
  throw usageError(`${file} is no regular file, so it cannot be read more than once`, 'Save what it holds as a file')
}
