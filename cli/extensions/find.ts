import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../process/host.ts'

const prefix = 'postern-'

export interface Extension {
  readonly name: string
  readonly path: string
}

/** The program in PATH that adds the command `name`. */
export function findExtension(name: string, env: Environment): string | undefined {
  if (!isExtensionName(name)) return undefined
  return foldersIn(env)
    .map((folder) => join(folder, prefix + name))
    .find(isProgram)
}

/** All extensions, each where PATH has it first. */
export function listExtensions(env: Environment): readonly Extension[] {
  const paths = foldersIn(env).flatMap((folder) => filesIn(folder).map((file) => join(folder, file)))
  const found = new Map<string, string>()
  for (const path of paths) {
    const name = nameIn(path)
    if (name !== undefined && !found.has(name) && isProgram(path)) found.set(name, path)
  }
  return [...found].map(([name, path]) => ({ name, path })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** npx adds such a folder to PATH only for what it runs, so a shell does not find the program there. */
const ofNpx = /[\\/]node_modules[\\/]\.bin[\\/]?$/

/** Whether a new shell finds our own program. */
export const isInShells = (env: Environment): boolean =>
  foldersIn(env).some((folder) => !ofNpx.test(folder) && isProgram(join(folder, 'postern')))

const isExtensionName = (text: string): boolean => /^[a-z0-9][\w.-]*$/i.test(text)

function nameIn(path: string): string | undefined {
  const [, name = ''] = /([^/]*)$/.exec(path)?.[1]?.split(new RegExp(`^${prefix}`)) ?? []
  return isExtensionName(name) ? name : undefined
}

/** A relative entry, such as an empty one, leads from the current folder, where anybody may have put a program. */
const foldersIn = ({ PATH = '' }: Environment): readonly string[] =>
  PATH.split(delimiter).filter((folder) => isAbsolute(folder))

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((file) => file.startsWith(prefix))
  } catch {
    return []
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
