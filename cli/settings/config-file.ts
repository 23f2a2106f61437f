import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import { makeFolder, unwritableHint } from '../client/folder.ts'
import { withLock } from '../client/lock.ts'
import { localStateError } from '../output/cli-error.ts'
import { replaceFile } from '../process/replace-file.ts'

/** Settings that a profile or the config file can hold, named like their flags. */
export const settingNames = [
  'url',
  'account',
  'org',
  'timeout',
  'retries',
  'color',
  'read-only',
  'allow-http',
  'mouse',
  'theme',
  'update-notice',
] as const
/** Before the action of the terminal UI whose keys it changes. */
export const keySettingPrefix = 'tui.keys.'
type KeySetting = `${typeof keySettingPrefix}${string}`
export type NamedSetting = (typeof settingNames)[number]
export type SettingName = NamedSetting | KeySetting
export type StoredSettings = Readonly<Partial<Record<SettingName, string>>>

export const isKeySetting = (name: string): name is KeySetting => name.startsWith(keySettingPrefix)

export interface ConfigFile {
  readonly format: 1
  /** The default profile if no flag or variable names one. */
  readonly profile?: string
  readonly settings: StoredSettings
  readonly profiles: Readonly<Record<string, StoredSettings>>
  /** Command lines by the names that people gave them. */
  readonly aliases: Readonly<Record<string, string>>
}

const nothing: ConfigFile = { format: 1, settings: {}, profiles: {}, aliases: {} }

/** The config file, or an empty one if there is none. */
export function readConfig(path: string): ConfigFile {
  const text = readIfThere(path)
  if (text === undefined) return nothing
  try {
    return shaped(JSON.parse(withoutByteOrderMark(text)))
  } catch (cause) {
    const { message } = cause as Error
    throw localStateError(`The config file ${path} is damaged: ${message}`, 'Fix it, or move it away', cause)
  }
}

/** Changes the file atomically, under a lock. */
export async function changeConfig(path: string, change: (config: ConfigFile) => ConfigFile): Promise<void> {
  await prepareFolder(dirname(path))
  await withLock(path, { kind: 'config' }, async () => replace(path, change(readConfig(path))))
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const hint = unwritableHint('config', cause, 'Choose another with POSTERN_CONFIG_DIR')
    throw localStateError(`Cannot create ${folder} (${code})`, hint, cause)
  }
}

function replace(path: string, config: ConfigFile): void {
  try {
    replaceFile(path, `${JSON.stringify(config, undefined, 2)}\n`)
  } catch (cause) {
    throw localStateError(
      `The config file ${path} cannot be written`,
      unwritableHint('config', cause, 'Is the folder yours?'),
      cause,
    )
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined
    throw localStateError(`The config file ${path} cannot be read`, 'See who owns it: `ls -l` shows', cause)
  }
}

function shaped(value: unknown): ConfigFile {
  const { format, profile, settings, profiles, aliases = {}, ...others } = recordOf(value)
  if (format !== 1) throw new TypeError('not format 1')
  refuseUnknown(Object.keys(others))
  const stored = Object.entries(recordOf(profiles)).map(([name, entry]) => [name, storedOf(entry)] as const)
  return {
    format: 1,
    ...(profile !== undefined && textsOf({ profile })),
    settings: storedOf(settings),
    profiles: Object.fromEntries(stored),
    aliases: textsOf(aliases),
  }
}

function storedOf(value: unknown): StoredSettings {
  const texts = textsOf(value)
  refuseUnknown(Object.keys(texts).filter((name) => !isNamedSetting(name) && !isKeySetting(name)))
  return texts
}

/** A name that was skipped here would be lost at the next write, and a mistyped `read-only` would protect nothing. */
function refuseUnknown([name]: readonly string[]): void {
  if (name !== undefined) throw new TypeError(`${name} is no setting that this version knows`)
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const texts = recordOf(value)
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== 'string') throw new TypeError(`${name} has to be a text in quotes`)
  return texts as Record<string, string>
}

export const isNamedSetting = (name: string): name is NamedSetting => (settingNames as readonly string[]).includes(name)

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new TypeError('not an object')
}
