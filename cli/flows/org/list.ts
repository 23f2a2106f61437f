import type { FullOrganization, ListedOrganization } from '../../../shared/organization.ts'
import { commandFor } from '../command-line.ts'
import { type ListedInvitation, toListedInvitation } from '../invitation/invitations.ts'
import type { Listing, Sheet } from '../listing.ts'
import { type ListedMember, toListedMember } from '../member/members.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { createOrganization } from './create.ts'
import { noActiveOrganizationError, organizationFields, organizationIdOf, organizationSlugs } from './organizations.ts'
import { wholeOrganization } from './view.ts'

type OrganizationRow = ListedOrganization & { readonly active: boolean }

const listedFields = {
  ...organizationFields,
  id: { title: 'ID', type: 'text', id: 'argument' },
  soleMember: { title: 'Alone', type: 'flag?' },
  active: { title: 'Active', type: 'flag' },
} as const satisfies FieldsOf<OrganizationRow, OrganizationRow>

export const organizationList: Listing<OrganizationRow> = {
  command: 'org list',
  summary: 'The organizations of the signed-in user',
  fields: {},
  call: '/organization/list',
  answer: listedFields,
  columns: columnsOf<OrganizationRow>(listedFields, ['slug', 'name', 'active', 'createdAt', 'id']),
  empty: `No organizations: ${commandFor(createOrganization, [undefined])}`,
  examples: ['', '--json=slug,active'],
  list: async (context) => {
    const { api } = await context.signedIn()
    const [organizations, view] = await Promise.all([api.organization.list(), api.session.getSession()])
    const active = view?.session.activeOrganizationId
    return organizations.map((organization) => ({ ...organization, active: organization.id === active }))
  },
}

/** An organization with members and invitations as in their lists. */
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
  view: async (context, { org = context.organization }) => {
    const connection = await context.signedIn()
    const organizationId = await organizationIdOf(connection, org)
    const full = await wholeOrganization(connection.api, { organizationId })
    if (!full) throw noActiveOrganizationError()
    const invitations = full.invitations.map((invitation) => toListedInvitation(invitation, context.now()))
    return { ...full, members: full.members.map(toListedMember), invitations }
  },
}
