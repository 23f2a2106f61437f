import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { isSetting, settingOfFileKey } from '../../settings/names.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A file of the repository. */
export const page = (name: string): string => readFileSync(`${root}${name}`, 'utf8')

/** The path of a file of `deploy`. */
export const sample = (name: string): string => `${root}deploy/${name}`

/** Whether a variable of a sample sets something. */
export const isKnown = (name: string): boolean => isSetting(name) || settingOfFileKey(name) !== undefined

export const readSample = (name: string): string => readFileSync(sample(name), 'utf8')

/** The only document of a YAML file. */
export function yamlSample<T>(name: string): T {
  const [document, ...others] = parseAllDocuments(readSample(name), { merge: true })
  if (!document || others.length > 0 || document.errors.length > 0) throw new Error(`${name} is no YAML document`)
  return document.toJS() as T
}
