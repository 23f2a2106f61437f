import type { MachineKey } from '../../../shared/machine-key.ts'
import { commandWith } from '../command-line.ts'
import type { FlowConnection } from '../flow-context.ts'
import { loadOrganization, type OrganizationView, scopeOf, whyNotSeeKeys } from '../org/view.ts'
import { type Act, act, actWithView, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { trustList } from '../trust/trusts.ts'
import { keyFields, keyList, keyTone, keyView, type ListedKey, secretEnding, toListedKey } from './keys.ts'
import { createKey, createOwnKey, rotateKey } from './new-key.ts'
import { adoptKey, revokeKey } from './revoke.ts'

/** The keys of an organization or, without one, of the signed-in user. */
export interface KeysView {
  readonly keys: readonly MachineKey[]
  readonly within: OrganizationView | undefined
}

type Calls = Pick<FlowConnection, 'api'>

export const readKeys = ({ api }: Calls, organizationId: string | undefined): Promise<readonly MachineKey[]> =>
  api.key.listKeys(organizationId === undefined ? {} : { organizationId })

export const readOwnKeys = async (connection: Calls): Promise<KeysView> => ({
  keys: await readKeys(connection, undefined),
  within: undefined,
})

/** An organization's key as its member sees it, or the user's own key when no organization is given. */
export async function readKey(
  connection: Calls,
  keyId: string,
  { organizationId, userId }: { readonly organizationId: string | undefined; readonly userId: string | undefined },
): Promise<KeysView> {
  const [found, within] = await Promise.all([
    connection.api.key.viewKey({ keyId }),
    organizationId === undefined ? undefined : loadOrganization(connection, organizationId, { userId }),
  ])
  return { keys: [found], within }
}

const named = (chosen: readonly ListedKey[], { keys, within }: KeysView) =>
  withSameIds(keys, chosen).map((key) => ({ key, org: within?.organization.slug }))
const seen = ({ within }: KeysView) => within

const noKeys = (create: string): string => `No keys. ${create} creates one.`

const createKeyAct = ['c', 'create', 'create'] as const
const rotating = actWithView(rotateKey, seen, { key: ['e', 'edit', 'rotate'], about: 'one', subjects: named })
const revoking = actWithView(revokeKey, seen, {
  key: ['D', 'remove', 'revoke'],
  about: 'several',
  removes: true,
  subjects: named,
})

/** The keys that act as the signed-in user. */
export const ownKeys: Resource<ListedKey, KeysView> = {
  noun: 'key',
  fields: keyFields,
  list: ['name', 'secret', 'may', 'expiresAt', 'lastUsedAt', 'lastUsedIp', 'marks'],
  detail: [
    'name',
    'lastUsedAt',
    'expiresAt',
    'responsible',
    'roles',
    'scopes',
    'ipRanges',
    'secret',
    'createdAt',
    'id',
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  line: (key) => `${key.name}  ${secretEnding(key)}`,
  tone: keyTone,
  of: ({ keys }) => keys.map((key) => toListedKey(key, Date.now())),
  empty: (_, create) => noKeys(create),
  acts: [act(createOwnKey, { key: createKeyAct, about: 'place', subjects: () => [undefined] }), rotating, revoking],
  command: (one) =>
    one ? commandWith(keyView, [], { given: { key: one.id } }) : commandWith(keyList, [], { given: { mine: true } }),
  own: ({ id, name }, { within }) => ({
    screen: 'key',
    subject: id,
    title: name,
    ...(within && { organizationId: within.organization.id }),
  }),
}

/** Leads to the trust rules of CI jobs that need no key. */
const jobs: Act<ListedKey, KeysView> = {
  key: ['t', 'trusts', 'CI jobs'],
  about: 'place',
  offers: (_, { within }) =>
    within
      ? [
          {
            kind: 'look',
            label: 'CI jobs that sign in without a key',
            command: commandWith(trustList, [], { flags: ['--org', within.organization.slug] }),
            disabledReason: whyNotSeeKeys(within),
            opens: { screen: 'trusts', title: 'CI jobs', organizationId: within.organization.id },
          },
        ]
      : [],
}

const creating: Act<ListedKey, OrganizationView> = act(createKey, {
  about: 'place',
  subjects: (_, within) => [scopeOf(within)],
})

/** The keys of an organization. */
export const keys: Resource<ListedKey, KeysView> = {
  ...ownKeys,
  list: ['name', 'secret', 'roles', 'expiresAt', 'lastUsedAt', 'lastUsedIp', 'marks'],
  empty: ({ within }, create) => (within && whyNotSeeKeys(within)) ?? noKeys(create),
  acts: [
    { key: createKeyAct, about: 'place', offers: (_, { within }) => (within ? creating.offers([], within) : []) },
    rotating,
    actWithView(adoptKey, seen, { about: 'several', subjects: named }),
    revoking,
    jobs,
  ],
}
