import { usageError } from '../../output/cli-error.ts'
import { type SettingName, settingNames } from '../../settings/config-file.ts'
import { isSettingName } from '../../settings/settings.ts'

/** That an address may be asked in clear text is kept beside that address: in a profile. */
const names = settingNames.filter((name) => name !== 'allow-http')

export const nameHelp = `one of ${names.join(', ')}`

/** The setting of that name; exit 2 where there is none. */
export function parseSettingName(text: string): SettingName {
  if (text === 'allow-http')
    throw usageError(
      'allow-http is kept in a profile, beside the address that it is about',
      'postern profile create NAME --url URL --allow-http',
    )
  if (isSettingName(text)) return text
  throw usageError(`No setting ${text}`, `Settings: ${names.join(', ')}`)
}
