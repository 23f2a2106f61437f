import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

const folder = fileURLToPath(new URL('../../../deploy/', import.meta.url))

/** The path of a file of `deploy`. */
export const sample = (name: string): string => `${folder}${name}`

export const readSample = (name: string): string => readFileSync(sample(name), 'utf8')

/** The only document of a YAML file. */
export function yamlSample<T>(name: string): T {
  const [document, ...others] = parseAllDocuments(readSample(name), { merge: true })
  if (!document || others.length > 0 || document.errors.length > 0) throw new Error(`${name} is no YAML document`)
  return document.toJS() as T
}
