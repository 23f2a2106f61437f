import { canonicalEmail, isMachineAddress } from '../../../shared/email.ts'

import type { MemberView } from '../../../shared/organization.ts'
import { toCliError } from '../../output/error-report.ts'
import { countText, roleText } from '../../output/words.ts'
import { type Naming, pickOne } from '../candidates.ts'
import { flag, type WordAndFlags } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, Sheet } from '../listing.ts'
import { momentProblem, parseMoment } from '../moment.ts'
import { workingOrganizationId } from '../org/organizations.ts'
import {
  allMembers,
  isOwner,
  listedRoles,
  type MemberFilter,
  type OrganizationView,
  ownerRolesOf,
  permissionsOfRoles,
  pickRole,
  roleNames,
  teamIdsOf,
  teamText,
} from '../org/view.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

/** A member with its user, and its roles as a list. */
export interface ListedMember {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly image: string | null
  readonly roles: readonly string[]
  readonly organizationId: string
  readonly teamId: string | null
  readonly teamIds: readonly string[]
  readonly createdAt: Date
}

export const memberFields = {
  id: { title: 'ID', type: 'text', id: 'reference' },
  userId: { title: 'User', type: 'text' },
  email: { title: 'Email', type: 'text', readFirst: true, inList: addressOf },
  name: { title: 'Name', type: 'text', inList: (member, view) => shownName(member, view) },
  image: { title: 'Image', type: 'text?' },
  roles: {
    title: 'Roles',
    type: 'list',
    inDetail: ({ roles }, view) =>
      `${roleText(roles)}${isOwner(view, roles) && !roles.includes('owner') ? ', an owner' : ''}`,
  },
  organizationId: { title: 'Organization', type: 'text' },
  teamId: { title: 'First team', type: 'text?' },
  teamIds: {
    title: 'Teams',
    type: 'list',
    inList: ({ teamIds }, view) => teamText(teamIds, view) ?? '-',
    inDetail: ({ teamIds }, view) => (view.organization.teams ? (teamText(teamIds, view) ?? 'none') : undefined),
  },
  createdAt: { title: 'Since', type: 'date' },
  machine: {
    title: 'Machine',
    inDetail: ({ email }) => (isMachineAddress(email) ? 'yes: a key or a CI job acts as it' : undefined),
  },
  may: {
    title: 'Can',
    inDetail: ({ roles }, view) => permissionsOfRoles(view.roles, roles).join(', ') || 'view it',
  },
} as const satisfies FieldsOf<ListedMember, ListedMember, OrganizationView>

const columns = ['email', 'name', 'roles', 'createdAt', 'id']
export const memberColumns = columnsOf<ListedMember>(memberFields, columns)
const memberSheet = columnsOf<ListedMember>(memberFields, [...columns, 'userId', 'teamIds', 'organizationId'])

/** The address of a machine leads nowhere. */
export function addressOf({ email }: Pick<ListedMember, 'email'>): string {
  return isMachineAddress(email) ? 'machine' : email
}

export const shownName = ({ id, name }: ListedMember, { self }: OrganizationView): string =>
  id === self?.id ? `${name} (you)` : name

export const toListedMember = (member: MemberView): ListedMember => ({
  id: member.id,
  userId: member.user.id,
  email: member.user.email,
  name: member.user.name,
  image: member.user.image,
  roles: member.role,
  organizationId: member.organizationId,
  teamId: member.teamId ?? null,
  teamIds: teamIdsOf(member),
  createdAt: member.createdAt,
})

export const userArgument = 'member id, user id, e-mail address or unique name'

const naming: Naming<MemberView> = {
  kind: 'member',
  ids: ({ id, userId }) => [id, userId],
  ways: [({ user }, word) => user.email === canonicalEmail(word), ({ user }, word) => user.name === word],
  describe: ({ id, user }) => `${id}  ${user.email}  ${user.name}`,
  list: 'See them: postern member list; those who are only invited: postern invitation list',
}

export const pickMember = (members: readonly MemberView[], word: string): MemberView => pickOne(members, word, naming)

/** A member, whether they are an owner, and how `--org` names the organization in a command. */
export interface NamedMember {
  readonly member: MemberView
  readonly isOwner: boolean
  readonly org?: string | undefined
  /** Names of the keys and trust rules that the member is responsible for, if they were looked up. */
  readonly machines?: readonly string[]
  /** What happens to these when the member is removed, if a screen decides it. */
  readonly fate?: MachineFate
}

/** If it is undefined, they are kept but unusable until somebody adopts them. */
export type MachineFate = 'revoke' | 'adopt'

/** The members of the named organization, or of the active one. */
export async function membersOf(context: FlowContext, filter?: MemberFilter): Promise<readonly MemberView[]> {
  const { api } = await context.signedIn()
  return allMembers(api, await workingOrganizationId(context), filter)
}

/** The member as the service knows it now, if it still exists. */
export async function currentMember(
  context: FlowContext,
  { member: { id, organizationId, user } }: Pick<NamedMember, 'member'>,
): Promise<Pick<NamedMember, 'member'> | undefined> {
  const { api } = await context.signedIn()
  const member = (await allMembers(api, organizationId, { search: user.email })).find((one) => one.id === id)
  return member && { member }
}

export const memberAddresses = async (context: FlowContext): Promise<readonly string[]> =>
  (await membersOf(context)).map(({ user }) => user.email)

/** Looks members up among all of them, with what their roles mean at this service. */
export async function findMembers(context: FlowContext): Promise<(word: string | undefined) => NamedMember> {
  const [members, listed] = await Promise.all([membersOf(context), listedRoles(context)])
  const ownerRoles = ownerRolesOf(listed)
  return (word = '') => {
    const member = pickMember(members, word)
    return {
      member,
      isOwner: member.role.some((role) => ownerRoles.includes(role)),
      org: context.organization,
    }
  }
}

export const wordsForMember = ({ member, org }: NamedMember): WordAndFlags => ({
  word: member.user.email,
  flags: flag('org', org),
})

/** The address of one, or the number of several. */
export const memberCount = ([first, ...rest]: readonly { readonly member: MemberView }[]): string =>
  rest.length === 0 ? (first?.member.user.email ?? 'the member') : `${countText(rest.length + 1)} members`

const filterFields = {
  search: {
    kind: 'text',
    label: 'Search',
    flag: '--search <text>',
    summary: 'only members whose name or address has this text',
    isOptional: true,
  },
  role: {
    kind: 'text',
    label: 'Role',
    flag: '--role <role>',
    summary: 'only members who hold this role',
    isOptional: true,
    complete: roleNames,
  },
  notSeen: {
    kind: 'text',
    label: 'Not seen',
    flag: '--not-seen <when>',
    summary: 'only people not seen since a date, a time, or for as long as 30d; for those who may remove members',
    isOptional: true,
    check: momentProblem,
  },
} as const

export const memberList: Listing<ListedMember, typeof filterFields> = {
  command: 'member list',
  summary: 'The members of the organization',
  fields: filterFields,
  call: '/organization/list-members',
  answer: memberFields,
  columns: memberColumns,
  empty: ({ search, role, notSeen }) => (search || role || notSeen ? 'No such members' : 'No members'),
  examples: ['', '--org acme --json=email,roles', '--search ann --role admin', '--not-seen 30d'],
  list: async (context, { notSeen = '', ...filter }) => {
    const found = await membersOf(context, { ...filter, unseenSince: parseMoment(notSeen, context.now()) })
    if (found.length === 0 && filter.role) await requireRole(context, filter.role)
    return found.map(toListedMember)
  },
}

/** Distinguishes a role that nobody holds from one that does not exist. */
async function requireRole(context: FlowContext, role: string): Promise<void> {
  pickRole(await listedRoles(context), role)
}

const fields = {
  user: { kind: 'text', label: 'Member', argument: '<user>', summary: userArgument, complete: memberAddresses },
} as const

export const memberView: Sheet<ListedMember, typeof fields> = {
  command: 'member view',
  summary: 'One member of the organization',
  fields,
  call: '/organization/list-members',
  answer: memberFields,
  columns: memberSheet,
  examples: ['ann@example.com'],
  view: async (context, { user }) => toListedMember(pickMember(await membersOf(context), user)),
}

export const ownMembership: Sheet<ListedMember> = {
  command: 'member me',
  summary: 'The signed-in user as a member of the organization',
  fields: {},
  call: '/organization/get-active-member',
  answer: memberFields,
  columns: memberSheet,
  examples: ['', '--org acme --json=roles'],
  view: async (context) => {
    const { api } = await context.signedIn()
    // The service answers this only for the active organization.
    const isActive = (await workingOrganizationId(context)) === undefined
    const active = isActive ? await api.member.getActiveMember().catch(unlessNone) : undefined
    if (active) return toListedMember(active)
    const { user } = await context.session()
    return toListedMember(pickMember(await membersOf(context), user.id))
  },
}

/** Without an active organization, the user's only one can be meant. */
function unlessNone(error: unknown): undefined {
  if (toCliError(error).code !== 'NO_ACTIVE_ORGANIZATION') throw error
}
