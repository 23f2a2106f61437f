import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const names = ['postern.config.ts', 'postern.config.mjs', 'postern.config.js', 'postern.config.json']

/**
 * The settings of the folder's config file as text, by the names of the environment; none when there is no file. Throws a
 * sentence when it cannot be loaded, or names what is not in `known`: a mistyped setting must not be ignored.
 */
export async function readConfigFile(folder: string, known: readonly string[]): Promise<Record<string, string>> {
  const file = names.find((name) => existsSync(join(folder, name)))
  if (!file) return {}
  const entries = Object.entries(await load(join(folder, file), file)).filter(([, value]) => (value ?? null) !== null)
  const strange = entries.map(([key]) => key).filter((key) => !known.includes(key))
  if (strange.length > 0) throw new Error(`${file} sets ${strange.join(', ')}, which is no setting`)
  return Object.fromEntries(entries.map(([key, value]) => [key, textOf(value)]))
}

async function load(path: string, file: string): Promise<object> {
  const settings = await evaluate(path).catch((error: unknown) => {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  })
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings))
    throw new Error(`${file} has no object of settings as its default export`)
  return settings
}

async function evaluate(path: string): Promise<unknown> {
  if (path.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8'))
  const { createJiti } = await import('jiti')
  return createJiti(import.meta.url).import(path, { default: true })
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))
