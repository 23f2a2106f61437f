import { existsSync } from 'node:fs'
import { join } from 'node:path'

const names = ['postern.config.ts', 'postern.config.mjs', 'postern.config.js', 'postern.config.json']

/** The settings of the folder's config file as text, by the names of the environment; none when there is no file. */
export async function readConfigFile(folder: string): Promise<Record<string, string>> {
  const file = names.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (!file) return {}
  const { createJiti } = await import('jiti')
  const settings = await createJiti(import.meta.url).import<Record<string, unknown>>(file, { default: true })
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, textOf(value)]),
  )
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))
