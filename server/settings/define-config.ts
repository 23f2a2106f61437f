import type { Extensions } from './extensions.ts'
import type { ProviderKey } from './providers.ts'
import type { SettingsSchema } from './schema.ts'

type Value = string | number | boolean | readonly string[] | null | undefined

/** What `postern.config.ts` may hold: settings by the names of the environment, roles and functions. */
export type ConfigFile = Extensions & {
  readonly [Name in keyof typeof SettingsSchema.shape | ProviderKey]?: Value
}

/**
 * Gives the config file its types; answers what it is given. The values are checked when the service loads them.
 *
 * @example
 * // postern.config.ts
 * export default defineConfig({ TRUSTED_ORIGINS: ['https://app.example.com'], SESSION_EXPIRES_IN: '7d' })
 */
export const defineConfig = (config: ConfigFile): ConfigFile => config
