import { usageError } from '../../output/cli-error.ts'
import { type SettingName, settingNames } from '../../settings/config-file.ts'
import { isSettingName } from '../../settings/settings.ts'

export const nameHelp = `one of ${settingNames.join(', ')}`

/** The setting of that name; exit 2 where there is none. */
export function parseSettingName(text: string): SettingName {
  if (isSettingName(text)) return text
  throw usageError(`No setting ${text}`, `Settings: ${settingNames.join(', ')}`)
}
