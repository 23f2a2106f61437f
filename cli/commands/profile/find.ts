import { notFoundError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import type { ConfigFile, StoredSettings } from '../../settings/config-file.ts'

/** The profile of that name; exit 6 where there is none. */
export function findProfile({ profiles }: ConfigFile, name: string): StoredSettings {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found) return found
  const names = Object.keys(profiles).join(', ')
  throw notFoundError(
    `No profile ${name}`,
    names ? `There are: ${names}` : commandLine('postern', 'profile', 'create', name),
  )
}
