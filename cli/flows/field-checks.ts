import { isBlank, isPicture, maxNameLength, pictureRule } from '../../shared/text-rules.ts'

/** Checks the name of a person, an organization or a team. */
export function nameProblem(text: string, name: string): string | undefined {
  if (text !== '' && isBlank(text)) return `${name} has no visible characters`
  return text.length > maxNameLength ? `${name} has at most ${maxNameLength} characters` : undefined
}

/** Checks the roles of a member, a key or a user. */
export const rolesProblem = (roles: readonly string[]): string | undefined =>
  roles.length === 0 ? 'At least one role is needed' : undefined

/** A new name for something that already has one, which cannot be removed. */
export const newNameField = {
  kind: 'text',
  label: 'Name',
  flag: '--name <name>',
  summary: 'new name',
  isOptional: true,
  isNeverEmpty: true,
  check: nameProblem,
} as const

export const pictureExample = 'https://example.com/picture.png'

export const pictureProblem = (text: string, name: string): string | undefined =>
  isPicture(text) ? undefined : `${name} has to be ${pictureRule}`
