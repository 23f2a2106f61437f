import type { TrustRule } from '../../../shared/machine-key.ts'
import { fullTime } from '../../output/time.ts'
import { type Naming, pickOne, uniqueNamesOrIds } from '../candidates.ts'
import { type Flow, flag, type NoFields, type Subject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { authorityText, sponsorFields } from '../key/sponsor.ts'
import type { Listing } from '../listing.ts'
import { requireOrganizationId } from '../org/organizations.ts'
import { type OrganizationView, whyNotEndMachines, whyNotPermitted } from '../org/view.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

/** A trust rule, with its roles as a list. */
export type ListedTrustRule = Omit<TrustRule, 'role'> & { readonly roles: readonly string[] }

export const toListedTrustRule = ({ role, ...trust }: TrustRule): ListedTrustRule => ({ ...trust, roles: role })

/** `repository=acme/site` each, sorted, because the service keeps no order. */
export const claimWords = ({ claims }: Pick<TrustRule, 'claims'>): readonly string[] =>
  Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()

/** The keys that its jobs can rotate. */
export const rotatesText = ({ rotates }: Pick<TrustRule, 'rotates'>): string =>
  rotates === null ? 'keys no older than the rule' : rotates.join(' ') || 'none'

export const trustFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  name: { title: 'Name', type: 'text' },
  userId: { title: 'Acts as', type: 'text' },
  organizationId: { title: 'Organization', type: 'text' },
  issuer: { title: 'Issuer', type: 'text' },
  audience: { title: 'Audience', type: 'text' },
  claims: { title: 'Claims', type: 'any', value: claimWords, inList: (trust) => claimWords(trust).join(' ') },
  roles: { title: 'Roles', type: 'list' },
  rotates: { title: 'Rotates', type: 'any', value: rotatesText },
  expiresIn: { title: 'Expires in', type: 'number' },
  createdBy: { title: 'Created by', type: 'text' },
  ...sponsorFields,
  createdAt: { title: 'Created', type: 'date' },
  lastUsedAt: {
    title: 'Used',
    type: 'date?',
    inList: ({ lastUsedAt }) => lastUsedAt ?? 'never',
    inDetail: ({ lastUsedAt }, _, now) => (lastUsedAt ? fullTime(lastUsedAt, now) : 'never'),
  },
  limits: { title: '', inList: authorityText },
} as const satisfies FieldsOf<ListedTrustRule, ListedTrustRule>

const columns = ['name', 'claims', 'roles', 'issuer', 'audience', 'responsible', 'rotates', 'lastUsedAt', 'id']

export const trustList: Listing<ListedTrustRule> = {
  command: 'key trust list',
  summary: 'The CI jobs that can sign in to the organization with an id token',
  fields: {},
  call: '/key/trust/list',
  answer: trustFields,
  columns: columnsOf<ListedTrustRule>(trustFields, columns),
  empty: 'No trust rules',
  examples: ['', '--org acme --json=name,issuer,claims'],
  list: async (context) => (await trustsOf(context)).map(toListedTrustRule),
}

const naming: Naming<TrustRule> = {
  kind: 'trust rule',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: ({ id, name, issuer }) => `${id}  ${name}  ${issuer}`,
  list: 'See them: postern key trust list',
}

/** A trust rule, and how `--org` names its organization in a command. */
interface NamedTrustRule {
  readonly trust: TrustRule
  readonly org?: string | undefined
}

const trustRuleSubject: Subject<NamedTrustRule> = {
  argument: '<trust...>',
  summary: 'id or unique name',
  key: 'trustId',
  finder: async (context) => {
    const trusts = await trustsOf(context)
    return (word = '') => ({ trust: pickOne(trusts, word, naming), org: context.organization })
  },
  words: ({ trust, org }) => ({ word: trust.id, flags: flag('org', org) }),
  name: ({ trust }) => trust.name,
  complete: async (context) => uniqueNamesOrIds(await trustsOf(context)),
}

const ofSeveral = { subject: trustRuleSubject, fields: {}, bulk: 'subject', answersOne: true } as const

/** The trust rules of the named organization, or of the active one. */
export async function trustsOf(context: FlowContext): Promise<readonly TrustRule[]> {
  const { api } = await context.signedIn()
  return api.trust.listTrusts({ organizationId: await requireOrganizationId(context) })
}

export const adoptTrustRule: Flow<NamedTrustRule, NoFields, OrganizationView, ListedTrustRule> = {
  command: 'key trust adopt',
  summary: 'Become responsible for trust rules: their jobs can do what both their roles and yours allow',
  title: 'Adopt',
  ...ofSeveral,
  call: '/key/trust/adopt',
  answer: trustFields,
  examples: ['site', 'site rotation --org acme'],
  disabledReason: (_, view) => whyNotPermitted(view, 'member:create'),
  run: async (context, { trust }) => {
    const { api } = await context.signedIn()
    const adopted = await api.trust.adoptTrust({ trustId: trust.id })
    const isSame = adopted.sponsorId === trust.sponsorId
    return {
      sentence: `You are ${isSame ? 'still ' : ''}responsible for the trust rule ${trust.name}`,
      status: isSame ? 'unchanged' : 'updated',
      resource: toListedTrustRule(adopted),
    }
  },
}

export const deleteTrustRule: Flow<NamedTrustRule, NoFields, OrganizationView, ListedTrustRule> = {
  command: 'key trust delete',
  summary: 'Stop trusting providers; the sessions of their CI jobs end at once',
  title: 'Stop trusting',
  ...ofSeveral,
  call: '/key/trust/delete',
  answer: trustFields,
  examples: ['site', 'site --yes', 'site rotation --yes'],
  consent: {
    question: (several) =>
      `Delete ${several.map(({ trust }) => `the trust rule ${trust.name}`).join(', ')}? The jobs are signed out at once.`,
  },
  disabledReason: (several, view) =>
    whyNotEndMachines(
      view,
      several.map(({ trust }) => trust),
    ),
  run: async (context, { trust }) => {
    const { api } = await context.signedIn()
    const resource = toListedTrustRule(await api.trust.deleteTrust({ trustId: trust.id }))
    return { sentence: `Deleted the trust rule ${trust.name}`, status: 'deleted', resource }
  },
}
