import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import type { Extensions } from './extensions.ts'
import { fileKeyOf, isSetting, settingOfFileKey } from './names.ts'
import { readSettingFile } from './setting-file.ts'

/** Texts by name, as in `process.env`. An empty text counts as absent when settings are loaded. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Invalid settings. The message has a line for each: the key, what was wrong, what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(problems: readonly string[]) {
    super(`The settings are invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/** Where a setting was found. */
interface Origin {
  /** `environment`, `.env`, or the name of the config file. */
  readonly place: string
  /** The file that contains the value, if the place names one by `NAME_FILE`. */
  readonly file: string | null
}

/** What another process needs to use the same settings, whatever their places contain by then. */
export interface KeptSettings {
  /** Besides settings, whatever else the environment has. */
  readonly texts: Environment
  /** For its functions. */
  readonly configFile: ConfigFile
}

export interface GivenSettings extends KeptSettings {
  /** By the names of the settings that were found. */
  readonly origins: ReadonlyMap<string, Origin>
  readonly extensions: Extensions
}

interface Layer {
  readonly place: string
  readonly texts: Environment
}

/**
 * The settings as texts: those of the environment first, then of `.env`, then of the folder's config file. In each of
 * them `NAME_FILE` gives `NAME` as the content of a file.
 *
 * @throws ConfigError when a file cannot be loaded, or one place gives both.
 */
export async function readGivenSettings(environment: Environment, folder: string): Promise<GivenSettings> {
  const config = await readConfigFile(folder, isKnown).catch(throwConfigError)
  const layers: readonly Layer[] = [
    { place: config.file.name, texts: config.settings },
    { place: '.env', texts: readDotEnv(folder) },
    { place: 'environment', texts: withoutEmpty(environment) },
  ]
  refuseBoth(layers)
  return { ...readFiles(layers, folder), extensions: config.extensions, configFile: config.file }
}

/** Copied, because what else was given cannot be sent to another process. */
export const keptOf = ({ texts, configFile }: KeptSettings): KeptSettings => ({ texts, configFile })

/**
 * Settings as they were read before. Modules that the config file imports are read again.
 *
 * @throws ConfigError when the config file cannot be loaded.
 */
export async function reuseSettings(
  { texts, configFile }: KeptSettings,
  folder: string,
): Promise<Omit<GivenSettings, 'origins'>> {
  const { extensions } = await readConfigFile(folder, isKnown, configFile).catch(throwConfigError)
  return { texts, configFile, extensions }
}

const isKnown = (key: string): boolean => isSetting(key) || settingOfFileKey(key) !== undefined

function throwConfigError(error: Error): never {
  throw new ConfigError([error.message])
}

function refuseBoth(layers: readonly Layer[]): void {
  const problems = layers.flatMap(({ place, texts }) =>
    Object.keys(texts)
      .filter((name) => texts[fileKeyOf(name)] !== undefined && isSetting(name))
      .map((name) => `${name} and ${fileKeyOf(name)} are both set (${place}): expected one of them`),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Reads only the files that no stronger place replaces. */
function readFiles(layers: readonly Layer[], folder: string): Pick<GivenSettings, 'texts' | 'origins'> {
  const found = new Map<string, { readonly text: string; readonly origin: Origin }>()
  for (const { place, texts } of layers)
    for (const [key, text = ''] of Object.entries(texts)) {
      const named = settingOfFileKey(key)
      found.set(named ?? key, { text, origin: { place, file: named === undefined ? null : text } })
    }
  const problems: string[] = []
  const texts: Record<string, string> = {}
  for (const [name, { text, origin }] of found) {
    try {
      texts[name] = origin.file === null ? text : readSettingFile(name, origin.file, folder)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { texts, origins: new Map([...found].map(([name, { origin }]) => [name, origin])) }
}

const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))

function readDotEnv(folder: string): Environment {
  try {
    return withoutEmpty(parseEnv(withoutByteOrderMark(readFileSync(join(folder, '.env'), 'utf8'))) as Environment)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new ConfigError([`.env cannot be read: ${(error as Error).message}`])
  }
}
