import type { FullOrganization } from '../../../shared/organization.ts'
import { type ListedInvitation, listedInvitation } from '../invitation/invitations.ts'
import type { Sheet } from '../listing.ts'
import { type ListedMember, listedMember } from '../member/members.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { noActiveOrganizationError, organizationFields, organizationIdOf, organizationSlugs } from './organizations.ts'
import { wholeOrganization } from './whole-organization.ts'

/** An organization with its members and invitations as they are listed. */
interface ShownOrganization extends Omit<FullOrganization, 'members' | 'invitations'> {
  readonly members: readonly ListedMember[]
  readonly invitations: readonly ListedInvitation[]
}

const shown = {
  ...organizationFields,
  members: { title: 'Members', type: 'list', value: ({ members }) => members.length },
  invitations: { title: 'Invited', type: 'list', value: ({ invitations }) => invitations.length },
  teams: { title: 'Teams', type: 'any', value: ({ teams }) => teams?.map(({ name }) => name) },
} as const satisfies FieldsOf<Omit<ShownOrganization, 'incomplete'>, ShownOrganization>

const fields = {
  org: {
    kind: 'text',
    label: 'Organization',
    argument: '[org]',
    summary: 'id, slug or name; default: --org, else the active one',
    key: 'organizationId',
    complete: organizationSlugs,
    isOptional: true,
  },
} as const

export const organizationSheet: Sheet<ShownOrganization, typeof fields> = {
  command: 'org view',
  summary: 'An organization with its members, pending invitations and teams',
  fields,
  call: '/organization/get-full-organization',
  answer: shown,
  columns: columnsOf<ShownOrganization>(shown, Object.keys(shown)),
  examples: ['', 'acme --json=members'],
  view: async (ports, { org = ports.organization }) => {
    const connection = await ports.signedIn()
    const organizationId = await organizationIdOf(connection, org)
    const full = await wholeOrganization(connection.api, { organizationId })
    if (!full) throw noActiveOrganizationError()
    const invitations = full.invitations.map((invitation) => listedInvitation(invitation, ports.now()))
    return { ...full, members: full.members.map(listedMember), invitations }
  },
}
