import type { TrustRule } from '../../../shared/machine-key.ts'
import { commandWith } from '../command-line.ts'
import type { FlowConnection } from '../flow-context.ts'
import { sponsorText, sponsorTone } from '../key/sponsor.ts'
import { loadOrganization, type OrganizationView, scopeOf } from '../org/view.ts'
import { act, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { createTrustRule } from './create.ts'
import {
  adoptTrustRule,
  claimWords,
  deleteTrustRule,
  type ListedTrustRule,
  rotatesText,
  toListedTrustRule,
  trustFields,
  trustList,
} from './trusts.ts'

interface TrustsView extends OrganizationView {
  readonly trusts: readonly TrustRule[]
}

export async function readTrusts(
  connection: Pick<FlowConnection, 'api'>,
  organizationId: string,
  userId: string | undefined,
): Promise<TrustsView> {
  const [view, all] = await Promise.all([
    loadOrganization(connection, organizationId, { userId }),
    connection.api.trust.listTrusts({ organizationId }),
  ])
  return { ...view, trusts: all }
}

const named = (chosen: readonly ListedTrustRule[], { trusts: all, organization }: TrustsView) =>
  withSameIds(all, chosen).map((trust) => ({ trust, org: organization.slug }))

const details = (chosen: readonly ListedTrustRule[]) =>
  chosen.flatMap((trust) => [
    trust.issuer,
    `for ${trust.audience}`,
    ...claimWords(trust),
    `responsible: ${sponsorText(trust) ?? ''}`,
    `may rotate: ${rotatesText(trust)}`,
  ])

/** The trust rules by which CI jobs sign in to an organization with an id token. */
export const trusts: Resource<ListedTrustRule, TrustsView> = {
  noun: 'rule',
  fields: trustFields,
  list: ['name', 'claims', 'roles', 'lastUsedAt', 'issuer', 'limits'],
  detail: ['name', 'issuer', 'audience', 'claims', 'roles', 'rotates', 'responsible', 'lastUsedAt', 'createdAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id of the rule', text: ({ id }) => id },
  label: ({ name }) => name,
  line: (trust) => `${trust.name} ${trust.issuer} ${claimWords(trust).join(' ')}`,
  tone: sponsorTone,
  of: ({ trusts: all }) => all.map(toListedTrustRule),
  empty: (_, create) => `No CI job signs in without a key yet. ${create} trusts a provider.`,
  acts: [
    act(createTrustRule, { key: ['c', 'create', 'trust one'], about: 'place', subjects: (_, view) => [scopeOf(view)] }),
    act(adoptTrustRule, { about: 'one', subjects: named, details }),
    act(deleteTrustRule, { key: ['D', 'remove', 'delete'], about: 'one', removes: true, subjects: named, details }),
  ],
  command: (_, { organization: { slug } }) => commandWith(trustList, [], { flags: ['--org', slug] }),
}
