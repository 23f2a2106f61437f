import type { NewMachineKey } from '../../../shared/machine-key.ts'
import type { AnswerFields } from '../../output/json.ts'
import { secondsIn, spanProblem } from '../moment.ts'
import { nameProblem } from '../name-field.ts'
import type { FlowConnection } from '../ports.ts'
import { keyFields, type ListedKey, listedKey } from './keys.ts'

/** With the secret itself, which the service tells this once. */
export type ShownKey = ListedKey & Pick<NewMachineKey, 'token'>

export const shownKeyFields = { ...keyFields, token: 'text' } as const satisfies AnswerFields

export const shownKey = ({ token, ...key }: NewMachineKey, now: number): ShownKey => ({
  ...listedKey(key, now),
  token,
})

export const nameField = {
  kind: 'text',
  label: 'Name',
  argument: '<name>',
  summary: 'what it is for',
  check: nameProblem,
} as const

export const expiresField = {
  kind: 'text',
  label: 'Expires in',
  flag: '--expires <time>',
  summary: 'how long it lives, like 12h or 30d; default: as the service is set up',
  key: 'expiresIn',
  isOptional: true,
  // As the contract has it; the service may allow less.
  check: (text: string, name: string) => spanProblem(text, name, { least: 60, most: 315_360_000 }),
} as const

export const scopesField = {
  kind: 'list',
  label: 'Scopes',
  flag: '--scope <scope...>',
  summary: 'all that it may be used for: read, or actions like invitation:create; default: whatever a key may',
  key: 'scopes',
  isOptional: true,
} as const

export const rangesField = {
  kind: 'list',
  label: 'Taken from',
  flag: '--from <range...>',
  summary: 'networks that it is taken from, like 203.0.113.0/24; default: any',
  key: 'ipRanges',
  isOptional: true,
} as const

interface Limits {
  readonly scopes: readonly string[] | undefined
  readonly ranges: readonly string[] | undefined
  readonly expires: string | undefined
}

/** What holds a key back; what is not said the service decides. */
export function limitsOf({ scopes = [], ranges = [], expires }: Limits) {
  const expiresIn = expires ? secondsIn(expires) : undefined
  return {
    ...(scopes.length > 0 && { scopes: [...scopes] }),
    ...(ranges.length > 0 && { ipRanges: [...ranges] }),
    ...(expiresIn !== undefined && { expiresIn }),
  }
}

/**
 * The service lets two keys have one name, as who replaces a key wants it: but people should know. Who may see no list is warned
 * of nothing.
 */
export async function notesOnName(
  { api }: Pick<FlowConnection, 'api'>,
  { id, name, organizationId }: Pick<NewMachineKey, 'id' | 'name' | 'organizationId'>,
): Promise<{ readonly notes?: readonly string[] }> {
  const keys = await api.key.listKeys(organizationId === null ? {} : { organizationId }).catch(() => [])
  const isTwin = keys.some((key) => key.name === name && key.id !== id)
  return isTwin ? { notes: [`Another key is called ${name} too: name this one by its id, ${id}`] } : {}
}
