import { isBlank, isPicture, maxNameLength, pictureRule } from '../../shared/text-rules.ts'

/** Of a person, an organization or a team. */
export function nameProblem(text: string, name: string): string | undefined {
  if (text !== '' && isBlank(text)) return `${name} has nothing that can be seen`
  return text.length > maxNameLength ? `${name} has at most ${maxNameLength} characters` : undefined
}

/** Of what is there already: it cannot be taken away. */
export const newNameField = {
  kind: 'text',
  label: 'Name',
  flag: '--name <name>',
  summary: 'new name',
  isOptional: true,
  isNeverEmpty: true,
  check: nameProblem,
} as const

export const pictureProblem = (text: string, name: string): string | undefined =>
  isPicture(text) ? undefined : `${name} has to be ${pictureRule}`
