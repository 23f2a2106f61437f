import type { NewMachineKey } from '../../../shared/machine-key.ts'
import type { AnswerFields } from '../../output/json.ts'
import { relativeTime } from '../../output/time.ts'
import type { ValuesOf } from '../field.ts'
import { nameProblem, rolesProblem } from '../field-checks.ts'
import { type Flow, noSubject } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import { durationProblem, overlapField, parseSeconds } from '../moment.ts'
import { inChosenOrganization, type OrganizationScope } from '../org/organizations.ts'
import { machineRoleNames, machineRoles, type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { keyFields, keySubject, type ListedKey, type NamedKey, toListedKey } from './keys.ts'

/** With the secret, which the service returns only once. */
type ShownKey = ListedKey & Pick<NewMachineKey, 'token'>

const shownKeyFields = { ...keyFields, token: 'text' } as const satisfies AnswerFields

const shownKey = ({ token, ...key }: NewMachineKey, now: number): ShownKey => ({
  ...toListedKey(key, now),
  token,
})

export const nameField = {
  kind: 'text',
  label: 'Name',
  argument: '<name>',
  summary: 'what it is for',
  check: nameProblem,
} as const

const keyNameField = { ...nameField, argument: '<name...>' } as const

const expiresField = {
  kind: 'text',
  label: 'Expires in',
  flag: '--expires <time>',
  example: '30d',
  summary: 'its lifetime, like 12h or 30d; default: as the service is configured',
  key: 'expiresIn',
  isOptional: true,
  // The limits of the contract. The service can allow less.
  check: (text: string, name: string) => durationProblem(text, name, { least: 60, most: 315_360_000 }),
} as const

const limitFields = {
  scopes: {
    kind: 'list',
    label: 'Scopes',
    flag: '--scope <scope...>',
    example: 'read',
    summary: 'what it can be used for: read, or actions like invitation:create; default: all that a key can do',
    key: 'scopes',
    isOptional: true,
  },
  expires: expiresField,
  ranges: {
    kind: 'list',
    label: 'Allowed from',
    flag: '--from <range...>',
    example: '203.0.113.0/24',
    summary: 'networks that it is accepted from, like 203.0.113.0/24; default: any',
    key: 'ipRanges',
    isOptional: true,
  },
  rotatesItself: {
    kind: 'toggle',
    label: 'Rotates itself',
    flag: '--rotates-itself',
    summary: 'let it give itself a new secret: key rotate with its own id',
    key: 'rotatesItself',
  },
} as const

/** The limits of a key. The service decides those that are not given. */
function limitsOf({ scopes = [], ranges = [], expires, rotatesItself }: Partial<ValuesOf<typeof limitFields>>) {
  const expiresIn = expires ? parseSeconds(expires) : undefined
  return {
    ...(scopes.length > 0 && { scopes: [...scopes] }),
    ...(ranges.length > 0 && { ipRanges: [...ranges] }),
    ...(expiresIn !== undefined && { expiresIn }),
    ...(rotatesItself && { rotatesItself }),
  }
}

/**
 * Warns about another key of the same name. The service allows that, for example to replace a key. No warning without
 * permission to list keys.
 */
async function notesOnName(
  { api }: Pick<FlowConnection, 'api'>,
  { id, name, organizationId }: Pick<NewMachineKey, 'id' | 'name' | 'organizationId'>,
): Promise<{ readonly notes?: readonly string[] }> {
  const keys = await api.key.listKeys(organizationId === null ? {} : { organizationId }).catch(() => [])
  const isTwin = keys.some((key) => key.name === name && key.id !== id)
  return isTwin ? { notes: [`Another key is called ${name} too: refer to this one by its id, ${id}`] } : {}
}

const fields = {
  name: keyNameField,
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role...>',
    summary: 'its roles in the organization, needed with --org; without either, the key is your own',
    key: 'role',
    complete: machineRoleNames,
  },
  ...limitFields,
} as const

export const createKey: Flow<OrganizationScope, typeof fields, OrganizationView, ShownKey> = {
  command: 'key create',
  summary: 'Create a machine key: one of the organization with roles, or your own with --mine. It is shown once',
  title: 'Create a key',
  subject: inChosenOrganization,
  fields,
  bulk: 'name',
  answersOne: true,
  call: '/key/create',
  isFor: ({ organizationId }) => organizationId !== undefined,
  answer: shownKeyFields,
  examples: [
    'deploy --role admin --expires 30d',
    'invite --org acme --role admin --scope read invitation:create --from 203.0.113.0/24',
    'laptop --mine --scope read',
    'postern key create deploy --role admin --quiet | gh secret set POSTERN_TOKEN',
  ],
  note: () => 'The key acts as a separate member. It is shown once and not stored.',
  disabledReason: (_, view) => whyNotPermitted(view, 'member:create'),
  options: (_, view) => ({ roles: machineRoles(view) }),
  check: ({ roles = [] }) => ({ roles: rolesProblem(roles) }),
  run: async (context, { organizationId }, { name, roles, ...limits }) => {
    const { api } = await context.signedIn()
    const made = await api.key.createKey({ name, organizationId, role: [...roles], ...limitsOf(limits) })
    const resource = shownKey(made, context.now())
    const sentence = `Created the key ${resource.name} as ${resource.roles.join(', ')}`
    return { sentence, status: 'created', resource, secret: made.token, ...(await notesOnName({ api }, made)) }
  },
}

const createOwnKeyFields = { name: keyNameField, ...limitFields } as const

export const createOwnKey: Flow<undefined, typeof createOwnKeyFields, unknown, ShownKey> = {
  command: 'key create --mine',
  summary: 'Create a machine key that acts as the signed-in user. It is shown once',
  title: 'Create a key of your own',
  subject: noSubject,
  fields: createOwnKeyFields,
  bulk: 'name',
  answersOne: true,
  call: '/key/create',
  isFor: ({ organizationId }) => organizationId === undefined,
  answer: shownKeyFields,
  examples: ['laptop --mine --scope read --expires 30d'],
  note: () => 'The key has your permissions, except those reserved for people. It is shown once and not stored.',
  run: async (context, _, { name, ...limits }) => {
    const { api } = await context.signedIn()
    const made = await api.key.createKey({ name, ...limitsOf(limits) })
    const sentence = `Created the key ${made.name}, which acts as you`
    const notes = await notesOnName({ api }, made)
    return { sentence, status: 'created', resource: shownKey(made, context.now()), secret: made.token, ...notes }
  },
}

const rotateKeyFields = {
  overlap: {
    ...overlapField,
    label: 'Old one works for',
    summary: 'how long the old secret still works, like 1h; 0: not at all (24h)',
  },
  expires: { ...expiresField, summary: 'new lifetime of the key, like 30d; default: as before' },
} as const

export const rotateKey: Flow<NamedKey, typeof rotateKeyFields, OrganizationView | undefined, ShownKey> = {
  command: 'key rotate',
  summary: 'Give keys new secrets, which are shown once; the old ones keep working for a while',
  title: 'Rotate',
  subject: keySubject,
  fields: rotateKeyFields,
  bulk: 'subject',
  answersOne: true,
  call: '/key/rotate',
  answer: shownKeyFields,
  examples: ['deploy', 'deploy --overlap 1h --expires 30d', 'deploy --overlap 0 --quiet > key.txt'],
  note: ({ key }) => `A new secret for ${key.name}, shown once. Without a time, the old one works for a day.`,
  disabledReason: (several, view) => whyNotReplace(several, view),
  run: async (context, { key }, { overlap, expires }) => {
    const { api } = await context.signedIn()
    const expiresIn = expires ? parseSeconds(expires) : undefined
    const made = await api.key.rotateKey({
      keyId: key.id,
      ...(overlap && { overlap: parseSeconds(overlap) ?? 0 }),
      ...(expiresIn !== undefined && { expiresIn }),
    })
    const sentence = `Rotated the key ${made.name}${overlapWords(made.overlapEndsAt, context.now())}`
    return { sentence, status: 'updated', resource: shownKey(made, context.now()), secret: made.token }
  },
}

const overlapWords = (end: Date | null, now: number): string =>
  end ? `; the previous one ends ${relativeTime(end, now)}` : '; the previous one no longer works'

/** Rotating a key gives the same power as creating it. */
function whyNotReplace(several: readonly NamedKey[], view: OrganizationView | undefined): string | undefined {
  if (!view || several.every(({ key }) => key.organizationId === null)) return undefined
  return whyNotPermitted(view, 'member:create') ?? whyNotPermitted(view, 'member:delete')
}
