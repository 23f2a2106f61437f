import { isProviderKey, isProviderSecret } from './providers.ts'
import { SettingsSchema, secretKeys } from './schema.ts'

export const isSetting = (key: string): boolean => Object.hasOwn(SettingsSchema.shape, key) || isProviderKey(key)
export const isSecret = (key: string): boolean => secretKeys.includes(key) || isProviderSecret(key)

const fileSuffix = '_FILE'

/** `SECRET_FILE`: names the file that contains `SECRET`. */
export const fileKeyOf = (name: string): string => `${name}${fileSuffix}`

/** `SECRET_FILE` → `SECRET`. Undefined for a key that names no file of a setting. */
export function settingOfFileKey(key: string): string | undefined {
  const name = key.endsWith(fileSuffix) ? key.slice(0, -fileSuffix.length) : ''
  return isSetting(name) ? name : undefined
}

/** The default of a setting of the service as it would be written, if it is the same everywhere. */
export function defaultTextOf(name: string): string | undefined {
  const schema: { readonly def: { readonly defaultValue?: unknown } } | undefined = Reflect.get(
    SettingsSchema.shape,
    name,
  )
  return schema?.def.defaultValue as string | undefined
}
