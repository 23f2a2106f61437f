import type { MachineKey } from '../../../shared/machine-key.ts'
import { fullTime } from '../../output/time.ts'
import { countText, roleText } from '../../output/words.ts'
import { type Naming, pickOne, uniqueNamesOrIds } from '../candidates.ts'
import { flag, type Subject, type WordAndFlags } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { ifAllowed } from '../if-answered.ts'
import type { Listing, Sheet } from '../listing.ts'
import { chosenOrganizationId } from '../org/organizations.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { viewOrList } from '../view-or-list.ts'
import { sponsorFields } from './sponsor.ts'

/** A key's lifetime, and what remains of its roles through the person responsible for it. */
type KeyStatus = 'active' | 'limited' | 'expiring' | 'powerless' | 'expired'

/** A key as people see it: its roles as a list, and its status. */
export type ListedKey = Omit<MachineKey, 'role'> & { readonly roles: readonly string[]; readonly status: KeyStatus }

/** Two weeks: enough time to replace a key. */
const soon = 14 * 86_400_000

export function keyStatus(
  { expiresAt, authority }: Pick<MachineKey, 'expiresAt' | 'authority'>,
  now: number,
): KeyStatus {
  const left = expiresAt.getTime() - now
  if (left <= 0) return 'expired'
  if (authority === 'none') return 'powerless'
  if (left <= soon) return 'expiring'
  return authority === 'limited' ? 'limited' : 'active'
}

/** Distinguishes keys with the same name by the end of their secrets. */
export function secretEnding({ hint }: Pick<MachineKey, 'hint'>): string {
  return `…${hint}`
}

export const toListedKey = ({ role, ...key }: MachineKey, now: number): ListedKey => ({
  ...key,
  roles: role ?? [],
  status: keyStatus(key, now),
})

const tones = {
  active: 'plain',
  limited: 'warning',
  expiring: 'warning',
  powerless: 'danger',
  expired: 'danger',
} as const

export const keyTone = ({ status }: ListedKey) => tones[status]

export const keyFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  name: { title: 'Name', type: 'text' },
  userId: { title: 'Acts as', type: 'text' },
  organizationId: { title: 'Organization', type: 'text?' },
  roles: {
    title: 'Roles',
    type: 'list',
    inDetail: ({ roles, organizationId }) => (organizationId === null ? 'acts as you' : roleText(roles)),
  },
  scopes: {
    title: 'Scopes',
    type: 'any',
    value: ({ scopes }) => scopes ?? 'all that its roles allow',
    inDetail: ({ scopes }) => scopes?.join(', ') ?? 'all that keys can do',
  },
  ipRanges: {
    title: 'Allowed from',
    type: 'list',
    value: ({ ipRanges }) => (ipRanges.length === 0 ? 'anywhere' : ipRanges),
  },
  rotatesItself: {
    title: 'Rotates itself',
    type: 'flag?',
    inDetail: ({ rotatesItself }) => (rotatesItself ? 'yes: its newest secret can replace itself' : 'no'),
  },
  hint: { title: 'Ends in', type: 'text' },
  status: { title: 'Status', type: 'text' },
  overlapEndsAt: { title: 'Old one until', type: 'date?' },
  createdBy: { title: 'Created by', type: 'text' },
  ...sponsorFields,
  createdAt: { title: 'Created', type: 'date' },
  expiresAt: {
    title: 'Expires',
    type: 'date',
    inDetail: ({ expiresAt, status }, _, now) =>
      `${fullTime(expiresAt, now)}${status === 'active' ? '' : `, ${status}`}`,
    tone: keyTone,
  },
  lastUsedAt: {
    title: 'Used',
    type: 'date?',
    inList: ({ lastUsedAt }) => lastUsedAt ?? 'never',
    inDetail: ({ lastUsedAt, lastUsedIp }, _, now) =>
      lastUsedAt ? `${fullTime(lastUsedAt, now)}, from ${lastUsedIp ?? 'an unknown address'}` : 'never',
  },
  lastUsedIp: { title: 'From', type: 'text?' },
  may: { title: 'Can', inList: ({ scopes }) => scopes?.join(' ') ?? 'all that keys can do' },
  marks: { title: '', inList: ({ status }) => (status === 'active' ? '' : status) },
  secret: {
    title: 'Secret',
    inList: secretEnding,
    inDetail: (key, _, now) =>
      `${secretEnding(key)}${key.overlapEndsAt ? `; the previous one ends ${fullTime(key.overlapEndsAt, now)}` : ''}`,
  },
} as const satisfies FieldsOf<ListedKey, ListedKey>

const columns = ['name', 'roles', 'status', 'expiresAt', 'lastUsedAt', 'lastUsedIp', 'id']
const sheet = [
  ...columns,
  'scopes',
  'ipRanges',
  'rotatesItself',
  'hint',
  'overlapEndsAt',
  'createdAt',
  'responsible',
  'createdBy',
  'userId',
  'organizationId',
]

const naming: Naming<MachineKey> = {
  kind: 'key',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: (key) =>
    `${key.id}  ${key.name}  ${secretEnding(key)}  ${key.organizationId === null ? 'your own' : 'of the organization'}`,
  list: 'See them: postern key list; your own: postern key list --mine',
}

const keyArgument = 'id or unique name'

/** A key, and how `--org` names its organization in a command. */
export interface NamedKey {
  readonly key: MachineKey
  readonly org?: string | undefined
}

const wordsForKey = ({ key, org }: NamedKey): WordAndFlags => ({ word: key.id, flags: flag('org', org) })

async function finder(context: FlowContext, words: readonly string[]): Promise<(word: string | undefined) => NamedKey> {
  const { api } = await context.signedIn()
  const keys = await viewOrList(words, {
    view: (keyId) => api.key.viewKey({ keyId }),
    goneCode: 'KEY_NOT_FOUND',
    list: () => keysOf(context),
  })
  return (word = '') => ({ key: pickOne(keys, word, naming), org: context.organization })
}

export const keySubject: Subject<NamedKey> = {
  argument: '<key...>',
  summary: keyArgument,
  key: 'keyId',
  finder: (context, _, words) => finder(context, words),
  words: wordsForKey,
  name: ({ key }) => key.name,
  complete: (context) => keyWords(context),
}

/** Finds keys of the organization, by id or unique name. */
export async function keysNamed(context: FlowContext, words: readonly string[]): Promise<readonly MachineKey[]> {
  const find = await finder(context, words)
  return words.map((word) => find(word).key)
}

const keyNamed = async (context: FlowContext, word: string): Promise<MachineKey> =>
  (await finder(context, [word]))(word).key

export const keyWords = async (context: FlowContext): Promise<readonly string[]> =>
  uniqueNamesOrIds(await keysOf(context))

/**
 * The keys of the named organization; otherwise the user's own, and those of the active organization if they can be
 * listed.
 */
async function keysOf(context: FlowContext): Promise<readonly MachineKey[]> {
  const { api } = await context.signedIn()
  if (context.organization !== undefined) return (await organizationKeys(context)) ?? []
  const ofOrganization = ifAllowed(organizationKeys(context))
  const [theirs, own] = await Promise.all([ofOrganization, api.key.listKeys({})])
  return [...(theirs ?? []), ...own]
}

/** Undefined if no organization is named or active. */
async function organizationKeys(context: FlowContext): Promise<readonly MachineKey[] | undefined> {
  const connection = await context.signedIn()
  const organizationId = await chosenOrganizationId(context)
  return organizationId === undefined ? undefined : connection.api.key.listKeys({ organizationId })
}

/** The name of one, or the number of several. */
export const keyCount = ([first, ...rest]: readonly NamedKey[]): string =>
  rest.length === 0 ? `the key ${first?.key.name ?? ''}`.trim() : `${countText(rest.length + 1)} keys`

const listFields = {
  mine: { kind: 'toggle', label: 'My own', flag: '--mine', summary: 'those that act as the signed-in user' },
} as const

export const keyList: Listing<ListedKey, typeof listFields> = {
  command: 'key list',
  summary: 'The machine keys of the organization; without one, those of the signed-in user',
  fields: listFields,
  call: '/key/list',
  answer: keyFields,
  columns: columnsOf<ListedKey>(keyFields, columns),
  empty: ({ mine }) => (mine ? 'No keys of your own' : 'No keys'),
  examples: ['', '--mine', '--org acme --json=name,status,expiresAt,lastUsedAt'],
  list: async (context, { mine }) => {
    const { api } = await context.signedIn()
    const keys = (mine ? undefined : await organizationKeys(context)) ?? (await api.key.listKeys({}))
    return keys.map((key) => toListedKey(key, context.now()))
  },
}

const viewFields = {
  key: {
    kind: 'text',
    label: 'Key',
    argument: '<key>',
    summary: keyArgument,
    key: 'keyId',
    complete: keyWords,
  },
} as const

export const keyView: Sheet<ListedKey, typeof viewFields> = {
  command: 'key view',
  summary: 'One key: its permissions, its lifetime, and when and from where it was last used',
  fields: viewFields,
  call: '/key/view',
  answer: keyFields,
  columns: columnsOf<ListedKey>(keyFields, sheet),
  examples: ['deploy', 'deploy --json=status,expiresAt'],
  view: async (context, { key }) => toListedKey(await keyNamed(context, key), context.now()),
}
