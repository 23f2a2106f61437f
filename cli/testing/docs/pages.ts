import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** Every document, as a path from the root. */
export const documents = (): readonly string[] => [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
]

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')
