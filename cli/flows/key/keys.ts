import type { MachineKey } from '../../../shared/machine-key.ts'
import type { Column } from '../../output/cell.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FieldType } from '../../output/json.ts'
import { type Naming, namesOrIds, pickOne } from '../candidates.ts'
import { flag } from '../command-line.ts'
import type { Subject, WordAndFlags } from '../flow.ts'
import { isId, onlyOne, organizationIdOf } from '../org/organizations.ts'
import type { Ports } from '../ports.ts'
import { sponsorFields, sponsorText } from './sponsor.ts'

/** How much longer a key lives, and what is left of its roles by whoever is responsible for it. */
type KeyStatus = 'active' | 'limited' | 'expiring' | 'powerless' | 'expired'

/** A key as its people see it: its roles as a list, and whether its time is running out. */
export type ListedKey = Omit<MachineKey, 'role'> & { readonly roles: readonly string[]; readonly status: KeyStatus }

export const keyFields = {
  id: 'text',
  name: 'text',
  userId: 'text',
  organizationId: 'text?',
  roles: 'list',
  scopes: 'any',
  ipRanges: 'list',
  hint: 'text',
  status: 'text',
  overlapEndsAt: 'date?',
  createdBy: 'text',
  ...sponsorFields,
  createdAt: 'date',
  expiresAt: 'date',
  lastUsedAt: 'date?',
  lastUsedIp: 'text?',
} as const satisfies Record<keyof ListedKey, FieldType>

/** Two weeks: enough to give whatever uses it another one. */
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

/** Tells keys of one name apart: their secrets alone differ where people look. */
export const secretEnd = ({ hint }: Pick<MachineKey, 'hint'>): string => `…${hint}`

export const listedKey = ({ role, ...key }: MachineKey, now: number): ListedKey => ({
  ...key,
  roles: role ?? [],
  status: keyStatus(key, now),
})

export const keyColumns: readonly Column<ListedKey>[] = [
  { header: 'Name', value: ({ name }) => name },
  { header: 'Roles', value: ({ roles }) => roles },
  { header: 'Status', value: ({ status }) => status },
  { header: 'Expires', value: ({ expiresAt }) => expiresAt },
  { header: 'Used', value: ({ lastUsedAt }) => lastUsedAt },
  { header: 'From', value: ({ lastUsedIp }) => lastUsedIp },
  { header: 'ID', value: ({ id }) => id, id: 'argument' },
]

export const keySheet: readonly Column<ListedKey>[] = [
  ...keyColumns,
  { header: 'Scopes', value: ({ scopes }) => scopes ?? 'all that its roles allow' },
  { header: 'Taken from', value: ({ ipRanges }) => (ipRanges.length === 0 ? 'anywhere' : ipRanges) },
  { header: 'Ends in', value: ({ hint }) => hint },
  { header: 'Old one until', value: ({ overlapEndsAt }) => overlapEndsAt },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'Responsible', value: sponsorText },
  { header: 'Created by', value: ({ createdBy }) => createdBy },
  { header: 'Acts as', value: ({ userId }) => userId },
  { header: 'Organization', value: ({ organizationId }) => organizationId },
]

const naming: Naming<MachineKey> = {
  kind: 'key',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: (key) =>
    `${key.id}  ${key.name}  ${secretEnd(key)}  ${key.organizationId === null ? 'your own' : 'of the organization'}`,
  list: 'See them: postern key list; your own: postern key list --mine',
}

export const keyArgument = 'id or unique name'

/** A key, and how `--org` names its organization in a command. */
export interface NamedKey {
  readonly key: MachineKey
  readonly org?: string | undefined
}

const wordsForKey = ({ key, org }: NamedKey): WordAndFlags => ({ word: key.id, flags: flag('org', org) })

async function finder(ports: Ports, words: readonly string[]): Promise<(word: string | undefined) => NamedKey> {
  const { api } = await ports.signedIn()
  // An id alone is asked for by itself: a machine knows its own key, and may see no list.
  const byId = await Promise.all(
    words.filter(isId).map((keyId) => api.key.viewKey({ keyId }).catch((error: unknown) => unlessGone(error))),
  )
  const byName = words.every(isId) ? [] : await keysOf(ports)
  const keys = [...byId.flatMap((key) => key ?? []), ...byName]
  return (word = '') => ({ key: pickOne(eachOnce(keys), word, naming), org: ports.organization })
}

function unlessGone(error: unknown): undefined {
  if (toCliError(error).code !== 'KEY_NOT_FOUND') throw error
}

const eachOnce = (keys: readonly MachineKey[]): readonly MachineKey[] => [
  ...new Map(keys.map((key) => [key.id, key])).values(),
]

export const oneKey: Subject<NamedKey> = {
  argument: '<key>',
  summary: keyArgument,
  key: 'keyId',
  finder: (ports, _, words) => finder(ports, words),
  words: wordsForKey,
  complete: (ports) => keyWords(ports),
}

export const someKeys: Subject<NamedKey> = {
  ...oneKey,
  argument: '<key...>',
  summary: `${keyArgument}; - reads them from stdin, one a line`,
}

/** Several keys of the organization, by id or unique name. */
export async function keysNamed(ports: Ports, words: readonly string[]): Promise<readonly MachineKey[]> {
  const find = await finder(ports, words)
  return words.map((word) => find(word).key)
}

export const keyNamed = async (ports: Ports, word: string): Promise<MachineKey> =>
  (await finder(ports, [word]))(word).key

export const keyWords = async (ports: Ports): Promise<readonly string[]> => namesOrIds(await keysOf(ports))

/** Those of the organization that is named; else of the active one, where one may see them, and one's own. */
async function keysOf(ports: Ports): Promise<readonly MachineKey[]> {
  const { api } = await ports.signedIn()
  if (ports.organization !== undefined) return (await organizationKeys(ports)) ?? []
  const ofOrganization = organizationKeys(ports).catch((error: unknown) => unlessForbidden(error))
  const [theirs, own] = await Promise.all([ofOrganization, api.key.listKeys({})])
  return [...(theirs ?? []), ...own]
}

function unlessForbidden(error: unknown): undefined {
  if (toCliError(error).status !== 403) throw error
}

/** Undefined where no organization is named or active. */
export async function organizationKeys(ports: Ports): Promise<readonly MachineKey[] | undefined> {
  const connection = await ports.signedIn()
  const organizationId = await chosenIdOf(ports)
  return organizationId === undefined ? undefined : connection.api.key.listKeys({ organizationId })
}

/** Without an id the service means one's own keys: which organization is active has to be asked. */
export async function chosenIdOf(ports: Ports): Promise<string | undefined> {
  if (ports.organization !== undefined) return organizationIdOf(await ports.signedIn(), ports.organization)
  const { activeOrganizationId } = (await ports.session()).session
  if (activeOrganizationId !== null) return activeOrganizationId
  const { api } = await ports.signedIn()
  return onlyOne(await api.organization.list())?.id
}

/** The name of one, the number of several. */
export const keyCount = ([first, ...rest]: readonly NamedKey[]): string =>
  rest.length === 0 ? `the key ${first?.key.name ?? ''}`.trim() : `${rest.length + 1} keys`
