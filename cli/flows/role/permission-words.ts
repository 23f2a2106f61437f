import { usageError } from '../../output/cli-error.ts'

export type Permission = readonly [resource: string, action: string]

export function permissionOf(word: string): Permission {
  const [, resource, action] = /^([^:]+):([^:]+)$/.exec(word) ?? []
  if (resource && action) return [resource, action]
  throw usageError(`Not RESOURCE:ACTION: ${word}`, 'For example member:create. See them: postern role list')
}

/** Resource → actions. */
export function together(permissions: readonly Permission[]): Record<string, string[]> {
  const wanted = new Map<string, string[]>()
  for (const [resource, action] of permissions) wanted.set(resource, [...(wanted.get(resource) ?? []), action])
  return Object.fromEntries(wanted)
}

export const permissionsOfWords = (words: readonly string[] = []): Record<string, string[]> =>
  together(words.map(permissionOf))
