import type { TrustRule } from '../../../shared/machine-key.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { type Naming, namesOrIds, pickOne } from '../candidates.ts'
import { flag } from '../command-line.ts'
import type { Subject } from '../flow.ts'
import { chosenIdOf } from '../key/keys.ts'
import { sponsorFields, sponsorText } from '../key/sponsor.ts'
import { noActiveOrganizationError } from '../org/organizations.ts'
import type { Ports } from '../ports.ts'

/** Whose jobs sign in, as whom; its roles as a list. */
export type ListedTrust = Omit<TrustRule, 'role'> & { readonly roles: readonly string[] }

export const trustFields = {
  id: 'text',
  name: 'text',
  userId: 'text',
  organizationId: 'text',
  issuer: 'text',
  audience: 'text',
  claims: 'any',
  roles: 'list',
  rotates: 'any',
  expiresIn: 'number',
  createdBy: 'text',
  ...sponsorFields,
  createdAt: 'date',
  lastUsedAt: 'date?',
} as const satisfies Record<keyof ListedTrust, FieldType>

export const listedTrust = ({ role, ...trust }: TrustRule): ListedTrust => ({ ...trust, roles: role })

/** `repository=acme/site` each, in the order of the alphabet: the service keeps none. */
export const claimWords = ({ claims }: Pick<TrustRule, 'claims'>): readonly string[] =>
  Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()

/** Which keys its jobs may rotate. */
export const rotatesText = ({ rotates }: Pick<TrustRule, 'rotates'>): string =>
  rotates === null ? 'keys no older than the rule' : rotates.join(' ') || 'none'

export const trustColumns: readonly Column<ListedTrust>[] = [
  { header: 'Name', value: ({ name }) => name },
  { header: 'Claims', value: claimWords },
  { header: 'Roles', value: ({ roles }) => roles },
  { header: 'Issuer', value: ({ issuer }) => issuer },
  { header: 'Audience', value: ({ audience }) => audience },
  { header: 'Responsible', value: sponsorText },
  { header: 'Rotates', value: rotatesText },
  { header: 'Used', value: ({ lastUsedAt }) => lastUsedAt },
  { header: 'ID', value: ({ id }) => id, id: 'argument' },
]

const naming: Naming<TrustRule> = {
  kind: 'trust rule',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: ({ id, name, issuer }) => `${id}  ${name}  ${issuer}`,
  list: 'See them: postern key trust list',
}

/** A trust rule, and how `--org` names its organization in a command. */
export interface NamedTrust {
  readonly trust: TrustRule
  readonly org?: string | undefined
}

export const oneTrust: Subject<NamedTrust> = {
  argument: '<trust>',
  summary: 'id or unique name',
  key: 'trustId',
  finder: async (ports) => {
    const trusts = await trustsOf(ports)
    return (word = '') => ({ trust: pickOne(trusts, word, naming), org: ports.organization })
  },
  words: ({ trust, org }) => ({ word: trust.id, flags: flag('org', org) }),
  complete: async (ports) => namesOrIds(await trustsOf(ports)),
}

/** Those of the organization that is named, else of the active one. */
export async function trustsOf(ports: Ports): Promise<readonly TrustRule[]> {
  const { api } = await ports.signedIn()
  return api.trust.listTrusts({ organizationId: await organizationOf(ports) })
}

export async function organizationOf(ports: Ports): Promise<string> {
  const organizationId = await chosenIdOf(ports)
  if (organizationId === undefined) throw noActiveOrganizationError()
  return organizationId
}
