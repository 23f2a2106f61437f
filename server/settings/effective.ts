import type { Config } from '../config.ts'
import type { GivenSettings } from './given-settings.ts'
import { defaultTextOf, isSecret, isSetting } from './names.ts'
import { SettingsSchema } from './schema.ts'

/** A setting that is in force. */
export interface EffectiveSetting {
  readonly name: string
  /** As it would be written. Null: not set; `(hidden)`: a secret. */
  readonly value: string | null
  /** `environment`, `.env`, the name of the config file, or `default`. */
  readonly source: string
  /** The file that contains the value, named by `NAME_FILE`. */
  readonly file: string | null
}

/** Every setting of the service, those of providers that are set, and what else the config file contains. */
export function effectiveSettings(given: GivenSettings, config: Config): EffectiveSetting[] {
  const names = new Set([...Object.keys(SettingsSchema.shape), ...[...given.origins.keys()].filter(isSetting)])
  const settings = [...names].map((name) => {
    const { place = 'default', file = null } = given.origins.get(name) ?? {}
    return { name, value: valueOf(name, given, config), source: place, file }
  })
  const extensions = Object.entries(given.extensions).map(([name, value]) => ({
    name,
    value: typeof value === 'function' ? 'a function' : JSON.stringify(value),
    source: given.configFile.name,
    file: null,
  }))
  return [...settings, ...extensions]
}

function valueOf(name: string, { texts }: GivenSettings, config: Config): string | null {
  if (isSecret(name)) return texts[name] === undefined ? null : '(hidden)'
  return texts[name] ?? defaultTextOf(name) ?? textOf(Reflect.get(config, name))
}

/** Of a default that depends on other settings. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (value instanceof URL) return value.origin
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
