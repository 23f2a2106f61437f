import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageError } from '../../output/cli-error.ts'
import type { Host } from '../../process/host.ts'

/** Services whose exports are read. */
const products = ['auth0', 'clerk', 'firebase', 'keycloak', 'supabase'] as const
export type Product = (typeof products)[number]
export const isProduct = (word: string): word is Product => products.some((product) => product === word)

/** A file is read more than once, and from any place. A pipe would be empty the second time, and nothing would come. */
export function readablePath({ cwd }: Host, file: string): string {
  const path = resolve(cwd, file)
  if (!existsSync(path)) throw usageError(`No file ${file}`, 'A file of records, or - for stdin')
  if (statSync(path).isFile()) return path
  throw usageError(`${file} is no regular file, so it cannot be read more than once`, 'Save what it holds as a file')
}
