import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageError } from '../../output/cli-error.ts'
import type { Host } from '../../process/host.ts'

/** Services whose exports are read. */
const products = ['auth0', 'clerk', 'firebase', 'keycloak', 'supabase'] as const
export type Product = (typeof products)[number]
export const isProduct = (word: string): word is Product => products.some((product) => product === word)

export function readablePath({ cwd }: Host, file: string): string {
  const path = resolve(cwd, file)
  if (existsSync(path)) return path
  throw usageError(`No file ${file}`, 'A file of records, or - for stdin')
}
