import type { Extensions } from './extensions.ts'
import type { ProviderKey } from './providers.ts'
import type { SettingsSchema } from './schema.ts'

type Value = string | number | boolean | URL | readonly (string | URL)[] | null | undefined

type SettingName = keyof typeof SettingsSchema.shape

/** The content of `postern.config.ts`: settings by the names of the environment variables, roles and functions. */
export type ConfigFile = Extensions & {
  readonly [Name in SettingName | ProviderKey]?: Value
} & {
  /** The path of a file that contains the setting. */
  readonly [Name in `${SettingName}_FILE`]?: string
}

/**
 * Adds types to the config file and returns its argument. The values are checked when the service loads them.
 *
 * @example
 * // postern.config.ts
 * export default defineConfig({ TRUSTED_ORIGINS: ['https://app.example.com'], SESSION_EXPIRES_IN: '7d' })
 */
export const defineConfig = (config: ConfigFile): ConfigFile => config
