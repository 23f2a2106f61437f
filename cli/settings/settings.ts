import { canonicalEmail } from '../../shared/email.ts'
import type { Flags } from '../argv/flags.ts'
import type { AddressRules } from '../client/transport/address.ts'
import { usageError } from '../output/cli-error.ts'
import type { Environment } from '../process/host.ts'
import { parseServiceAddress, type ServiceAddress } from './address.ts'
import {
  type ConfigFile,
  isKeySetting,
  keySettingPrefix,
  type NamedSetting,
  type StoredSettings,
} from './config-file.ts'
import { parseDuration } from './duration.ts'
import { type ThemeName, themeNames } from './theme-names.ts'

/** A setting and its source: a flag, a variable, a profile, the config file, or the default. */
export interface Setting<T = string> {
  readonly value: T
  readonly from: string
}

/** The settings of the terminal UI alone. */
interface TuiSettings {
  /** Whether it takes the mouse. */
  readonly mouse: Setting<boolean>
  readonly theme: Setting<ThemeName>
  /** Keys that replace the built-in ones, by action. */
  readonly keys: Readonly<Record<string, string>>
}

/** The effective settings. Precedence: flag > env > profile > config > built-in. */
export interface Settings {
  readonly profile: Setting<string | undefined>
  readonly address: Setting<ServiceAddress>
  /** The account given by name; undefined means the current one. */
  readonly account: Setting<string | undefined>
  /** The organization given by id, slug or name; undefined means the session's active one. */
  readonly organization: Setting<string | undefined>
  /** In milliseconds. */
  readonly timeout: Setting<number>
  readonly retries: Setting<number>
  readonly color: Setting<'auto' | 'always' | 'never'>
  readonly readOnly: Setting<boolean>
  readonly tui: TuiSettings
  /** Whether a person is told of new versions. */
  readonly updateNotice: Setting<boolean>
  /** Label of sessions that a command starts; undefined: the name of the machine. */
  readonly label: Setting<string | undefined>
  readonly debug: Setting<boolean>
}

const variables: Readonly<Partial<Record<NamedSetting, string>>> = {
  url: 'POSTERN_URL',
  account: 'POSTERN_ACCOUNT',
  org: 'POSTERN_ORG',
  timeout: 'POSTERN_TIMEOUT',
  mouse: 'POSTERN_MOUSE',
  theme: 'POSTERN_THEME',
  'update-notice': 'POSTERN_UPDATE_NOTICE',
}

const builtIn: StoredSettings = {
  url: 'http://localhost:4100',
  timeout: '30s',
  retries: '2',
  color: 'auto',
  'read-only': 'off',
  mouse: 'on',
  theme: 'terminal',
  'update-notice': 'off',
}

/** Each setting is read on first use, so that an invalid one stops only what needs it (exit 2). */
export function resolveSettings(flags: Flags, env: Environment, config: () => ConfigFile): Settings {
  const find = (name: NamedSetting) =>
    findSetting(name, { flags, env, config: config(), profile: profileOf(flags, env, config()).value })
  return {
    get profile() {
      return profileOf(flags, env, config())
    },
    get address() {
      return addressOf(need(find('url')), { flags, config: config() })
    },
    get account() {
      return accountOf(find('account'))
    },
    get organization() {
      return { from: 'not set', ...(find('org') ?? { value: undefined }) }
    },
    get timeout() {
      return parsed(need(find('timeout')), milliseconds)
    },
    get retries() {
      return parsed(need(find('retries')), retryCount)
    },
    get color() {
      return parsed(colorOf(need(find('color')), env), colorName)
    },
    get readOnly() {
      return parsed(need(find('read-only')), parseSwitch)
    },
    get tui() {
      return tuiSettings(find, config(), profileOf(flags, env, config()))
    },
    get updateNotice() {
      return parsed(need(find('update-notice')), parseSwitch)
    },
    label: { value: flags.label, from: '--label' },
    get debug() {
      return flags.debug ? { value: true, from: '--debug' } : parsed(fromVariable('POSTERN_DEBUG', env), parseSwitch)
    },
  }
}

function addressOf(setting: Setting, sources: Pick<Sources, 'flags' | 'config'>): Setting<ServiceAddress> {
  const { value: allowHttp } = allowHttpOf(setting, sources)
  return parsed(setting, (text) => parseServiceAddress(text, { allowHttp }))
}

const accountOf = (setting: Setting | undefined): Setting<string | undefined> => ({
  from: setting?.from ?? 'not set',
  value: setting && canonicalEmail(setting.value.trim()),
})

const tuiSettings = (
  find: (name: NamedSetting) => Setting | undefined,
  { settings, profiles }: ConfigFile,
  { value: profile = '' }: Setting<string | undefined>,
): TuiSettings => ({
  mouse: parsed(need(find('mouse')), parseSwitch),
  theme: parsed(need(find('theme')), parseTheme),
  keys: storedKeys({ ...settings, ...profiles[profile] }),
})

/** The keys of the terminal UI, by action. The table of its keys checks them. */
export const storedKeys = (stored: StoredSettings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(stored).flatMap(([name, text]) =>
      isKeySetting(name) && text !== undefined ? [[name.slice(keySettingPrefix.length), text]] : [],
    ),
  )

interface Sources {
  readonly flags: Flags
  readonly env: Environment
  readonly config: ConfigFile
  readonly profile: string | undefined
}

function findSetting(name: NamedSetting, { flags, env, config, profile }: Sources): Setting | undefined {
  const variable = variables[name] ?? ''
  const candidates: readonly (readonly [value: string | undefined, from: string])[] = [
    [flagText(name, flags), `--${name}`],
    [env[variable] || undefined, variable],
    [config.profiles[profile ?? '']?.[name], `profile ${profile}`],
    [config.settings[name], 'config'],
    [builtIn[name], 'built-in'],
  ]
  const [value, from] = candidates.find(([text]) => text !== undefined) ?? []
  return value === undefined || from === undefined ? undefined : { value, from }
}

/**
 * Whether plain http is allowed: by a flag of this run, or by the profile that contains the address, but never for any
 * other address.
 */
export function allowHttpOf(
  { from }: Setting<unknown>,
  { flags, config }: Pick<Sources, 'flags' | 'config'>,
): Setting<boolean> {
  if (flags.allowHttp) return { value: true, from: '--allow-http' }
  const stored = from.startsWith('profile ')
    ? config.profiles[from.slice('profile '.length)]?.['allow-http']
    : undefined
  return stored === undefined ? { value: false, from: 'built-in' } : parsed({ value: stored, from }, parseSwitch)
}

function flagText(name: NamedSetting, flags: Flags): string | undefined {
  if (name === 'read-only') return onIf(flags.readOnly)
  if (name === 'allow-http') return onIf(flags.allowHttp)
  return isWithoutFlag(name) ? undefined : flags[name]
}

/** Settings that no global flag sets. */
const isWithoutFlag = (name: NamedSetting): name is 'mouse' | 'theme' | 'update-notice' =>
  ['mouse', 'theme', 'update-notice'].includes(name)

const onIf = (flag: boolean | undefined): string | undefined => (flag ? 'on' : undefined)

function profileOf(flags: Flags, env: Environment, config: ConfigFile): Setting<string | undefined> {
  const [value, from] = [
    [flags.profile, '--profile'] as const,
    [env['POSTERN_PROFILE'] || undefined, 'POSTERN_PROFILE'] as const,
    [config.profile, 'config'] as const,
  ].find(([text]) => text !== undefined) ?? [undefined, 'not set']
  if (value !== undefined && !Object.hasOwn(config.profiles, value)) {
    throw usageError(`${from} names a profile that does not exist: ${value}`, 'See them: postern profile list', [from])
  }
  return { value, from }
}

/** The standard variables count only without `--color`. */
function colorOf(setting: Setting, env: Environment): Setting {
  if (setting.from === '--color') return setting
  if (env['NO_COLOR']) return { value: 'never', from: 'NO_COLOR' }
  if (env['FORCE_COLOR']) return { value: env['FORCE_COLOR'] === '0' ? 'never' : 'always', from: 'FORCE_COLOR' }
  return setting
}

const fromVariable = (name: string, env: Environment): Setting =>
  env[name] ? { value: env[name], from: name } : { value: 'off', from: 'built-in' }

const need = (setting: Setting | undefined): Setting => setting ?? { value: '', from: 'built-in' }

const parsed = <T>({ value, from }: Setting, parse: (text: string, from: string) => T): Setting<T> => ({
  value: parse(value, from),
  from,
})

/** The value alone, unless it was given as a flag. */
const exampleOf = (from: string, value: string): string =>
  `For example: ${from.startsWith('--') ? `${from} ` : ''}${value}`

function milliseconds(text: string, from: string): number {
  const value = parseDuration(text)
  if (value) return value
  throw usageError(`${from} is not a duration: ${text}`, exampleOf(from, '10s'), [from])
}

function retryCount(text: string, from: string): number {
  if (/^\d$|^10$/.test(text)) return Number(text)
  throw usageError(`${from} is not a number from 0 to 10: ${text}`, exampleOf(from, '0'), [from])
}

function colorName(text: string, from: string): 'auto' | 'always' | 'never' {
  if (text === 'auto' || text === 'always' || text === 'never') return text
  throw usageError(`${from} is not auto, always or never: ${text}`, exampleOf(from, 'never'), [from])
}

function parseTheme(text: string, from: string): ThemeName {
  const found = themeNames.find((name) => name === text)
  if (found) return found
  throw usageError(`${from} is not a theme: ${text}`, `Themes: ${themeNames.join(', ')}`, [from])
}

export function parseSwitch(text: string, from: string): boolean {
  if (['on', 'true', '1', 'yes'].includes(text)) return true
  if (['off', 'false', '0', 'no'].includes(text)) return false
  throw usageError(`${from} must be on or off, not ${text}`, undefined, [from])
}

/** Checks a value before it is stored, with the same messages as for flags. */
export function checkSetting(name: NamedSetting, text: string, rules: AddressRules = {}): void {
  const checks: Readonly<Record<NamedSetting, (text: string, from: string) => unknown>> = {
    url: (value) => parseServiceAddress(value, rules),
    account: (value) => value,
    org: (value) => value,
    timeout: milliseconds,
    retries: retryCount,
    color: colorName,
    'read-only': parseSwitch,
    'allow-http': parseSwitch,
    mouse: parseSwitch,
    theme: parseTheme,
    'update-notice': parseSwitch,
  }
  checks[name](text, name)
}
