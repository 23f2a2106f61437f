import type { FullOrganization, Invitation, MemberView } from '../../../shared/organization.ts'
import { coversRoles, isPermitted, permissionsIn, type Roles } from '../../../shared/permissions.ts'
import type { Role } from '../../../shared/role.ts'
import type { Connection } from '../../client/connection.ts'
import { notFoundError } from '../../output/cli-error.ts'
import { roleText } from '../../output/words.ts'
import type { NamesById } from '../audit/names.ts'
import type { Option } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { workingOrganizationId } from './organizations.ts'

/** An organization as seen by one of its members. */
export interface OrganizationView {
  /** Includes answered invitations. */
  readonly organization: FullOrganization
  /** The roles of the service and of the organization, with their permissions. */
  readonly roles: Roles
  /** The names of those that the organization made. */
  readonly ownRoles?: readonly string[]
  /** The roles that could be the owner role of this service. */
  readonly ownerRoles: readonly string[]
  /** The member who is looking. */
  readonly self: MemberView | undefined
  /** The active team of their session. */
  readonly activeTeamId?: string | null | undefined
}

type Viewer = Pick<OrganizationView, 'activeTeamId'> & { readonly userId?: string | undefined }

/** Loads everything about an organization. Only its members can. */
export async function loadOrganization(
  { api }: Pick<FlowConnection, 'api'>,
  organizationId: string,
  { userId, activeTeamId }: Viewer = {},
): Promise<OrganizationView> {
  const [whole, invitations, listed] = await Promise.all([
    wholeOrganization(api, { organizationId }),
    api.invitation.listInvitations({ organizationId, status: 'all' }),
    api.role.listRoles({ organizationId }),
  ])
  if (!whole) throw new Error('This organization is gone.')
  const organization = { ...whole, invitations }
  const roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const self = organization.members.find((member) => member.userId === userId)
  const ownRoles = listed.flatMap(({ role, id }) => (id ? role : []))
  const ownerRoles = ownerRolesOf(listed.map(toListedRole))
  return { organization, roles, ownRoles, ownerRoles, self, activeTeamId }
}

/** Whether a member with these roles owns the organization. */
export const isOwner = ({ ownerRoles }: Pick<OrganizationView, 'ownerRoles'>, held: readonly string[] = []): boolean =>
  held.some((role) => ownerRoles.includes(role))

type Permission = `${'organization' | 'member' | 'invitation' | 'team' | 'webhook' | 'ac'}:${string}`

/** Why my role does not permit this; undefined if it does. */
export function whyNotPermitted({ roles, self }: OrganizationView, permission: Permission): string | undefined {
  const [resource = '', action = ''] = permission.split(':')
  if (self && isPermitted(roles, self.role, { [resource]: [action] })) return undefined
  return `your role (${roleText(self?.role ?? ['none'])}) lacks ${permission}`
}

/** Why my role may not read the organization's trail, or see the webhooks that send it to others. */
export const whyNotReadTrail = (view: OrganizationView): string | undefined =>
  whyNotPermitted(view, 'organization:update')

/** Members who can create or revoke keys can see them. */
export const whyNotSeeKeys = (view: OrganizationView): string | undefined =>
  whyNotPermitted(view, 'member:delete') && whyNotPermitted(view, 'member:create')

type RoleHolder = Pick<MemberView, 'id' | 'role'>

export const lastOwner = 'the last owner has to stay; make another one first'

/** Whether these are all the remaining owners. */
export const areLastOwners = (view: OrganizationView, targets: readonly RoleHolder[]): boolean => {
  const touched = new Set(targets.flatMap(({ id, role }) => (isOwner(view, role) ? [id] : [])))
  return touched.size > 0 && !view.organization.members.some(({ id, role }) => isOwner(view, role) && !touched.has(id))
}

/** Only owners can change owners, and nobody can change a member with more permissions. */
function whyOutranked(
  view: OrganizationView,
  targets: readonly Pick<RoleHolder, 'role'>[],
  act: string,
): string | undefined {
  const { roles, self } = view
  if (isOwner(view, self?.role)) return undefined
  if (targets.some(({ role }) => isOwner(view, role))) return `only owners ${act} owners`
  const isCovered = targets.every(({ role }) => coversRoles(roles, self?.role ?? [], role))
  return isCovered ? undefined : 'they have more permissions than you'
}

export const whyNotRemove = (view: OrganizationView, targets: readonly RoleHolder[]): string | undefined =>
  whyNotPermitted(view, 'member:delete') ??
  whyOutranked(view, targets, 'remove') ??
  (areLastOwners(view, targets) ? lastOwner : undefined)

interface Machine {
  readonly role: readonly string[] | null
  readonly sponsorId: string | null
}

/** Why I cannot end these machines; undefined if I can. I always can where I am responsible. */
export function whyNotEndMachines(view: OrganizationView, machines: readonly Machine[]): string | undefined {
  const others = machines.filter(({ sponsorId }) => sponsorId !== view.self?.userId)
  if (others.length === 0) return undefined
  const held = others.map(({ role }) => ({ role: role ?? [] }))
  return whyNotPermitted(view, 'member:delete') ?? whyOutranked(view, held, 'end')
}

export const whyNotSetRoles = (view: OrganizationView, targets: readonly RoleHolder[]): string | undefined =>
  whyNotPermitted(view, 'member:update') ?? whyOutranked(view, targets, 'change')

export const whyNotLeave = (view: OrganizationView): string | undefined =>
  view.self && areLastOwners(view, [view.self])
    ? lastOwner + (whyNotPermitted(view, 'organization:delete') ? '' : ', or delete the organization')
    : undefined

/** Why I cannot grant this role; undefined if I can. */
export function whyNotGrant(view: OrganizationView, role: string): string | undefined {
  const { roles, self } = view
  if (isOwner(view, [role]) && !isOwner(view, self?.role)) return 'only owners make owners'
  return coversRoles(roles, self?.role ?? [], [role]) ? undefined : 'it has more permissions than you'
}

/** Why teams cannot be changed: this service has none, or this role lacks the permission. */
export const whyNotChangeTeams = (view: OrganizationView, permission: Permission): string | undefined =>
  view.organization.teams === null ? 'this service has no teams' : whyNotPermitted(view, permission)

/** The invitations that still wait for an answer. The service does not record that one has expired. */
export const pendingInvitations = (invitations: readonly Invitation[]): readonly Invitation[] =>
  invitations.filter(({ status, expiresAt }) => status === 'pending' && expiresAt.getTime() > Date.now())

/** The organization, for flows about something in it. */
export const scopeOf = ({ organization: { id, slug } }: OrganizationView) => ({ organizationId: id, org: slug })

/** The teams of a member, or of an invitation. Older services report one at most. */
export const teamIdsOf = ({ teamIds, teamId }: Pick<MemberView, 'teamIds' | 'teamId'>): readonly string[] =>
  teamIds ?? (teamId ? [teamId] : [])

/** For an invitation, in a form that older services read as long as it is one team at most. */
export const teamsInput = (ids: readonly string[]): string | string[] | undefined =>
  ids.length > 1 ? [...ids] : ids[0]

export const membersOfTeam = ({ organization }: OrganizationView, teamId: string): readonly MemberView[] =>
  organization.members.filter((member) => teamIdsOf(member).includes(teamId))

/** `Design, Ops`; undefined for none. */
export const teamText = (ids: readonly string[], { organization: { teams } }: OrganizationView): string | undefined =>
  ids.map((id) => teams?.find((team) => team.id === id)?.name ?? id).join(', ') || undefined

/** `member: create, update; team: create` */
export const permissionsOf = ({ roles }: OrganizationView, role: string): string =>
  Object.entries(roles[role] ?? {})
    .filter(([, actions]) => actions.length > 0)
    .map(([resource, actions]) => `${resource}: ${actions.join(', ')}`)
    .join('; ') || 'view it'

/** The roles of the service; those that the caller cannot grant have a reason. */
export const grantableRoles = (view: OrganizationView): readonly Option[] =>
  Object.keys(view.roles).map((role) => ({ id: role, label: role, disabledReason: whyNotGrant(view, role) }))

/** The same for machines, which cannot be owners. */
export const machineRoles = (view: OrganizationView): readonly Option[] =>
  grantableRoles(view).map((role) =>
    isOwner(view, [role.id]) ? { ...role, disabledReason: 'a machine cannot be an owner' } : role,
  )

type Api = Connection['api']

/**
 * A whole organization (default: the active one), even if the answer has only the start of its lists. Null if there is
 * none.
 */
export async function wholeOrganization(
  api: Api,
  named: { readonly organizationId?: string | undefined },
): Promise<FullOrganization | null> {
  const full = await api.organization.getFullOrganization(named)
  if (!full?.incomplete) return full
  const { incomplete, ...start } = full
  const organizationId = full.id
  const [members, invitations, teams] = await Promise.all([
    incomplete.includes('members') ? allMembers(api, organizationId) : full.members,
    incomplete.includes('invitations') ? api.invitation.listInvitations({ organizationId }) : full.invitations,
    incomplete.includes('teams') ? api.team.listTeams({ organizationId }) : full.teams,
  ])
  return { ...start, members, invitations, teams }
}

/** Which members to load. Default: all. */
export interface MemberFilter {
  readonly search?: string | undefined
  readonly role?: string | undefined
  /** Only people who were not seen since then. */
  readonly unseenSince?: Date | undefined
}

/** The filter as the service takes it. */
export const memberQuery = ({ unseenSince, ...filter }: MemberFilter) => ({
  ...filter,
  ...(unseenSince && {
    filterField: 'lastSeenAt' as const,
    filterOperator: 'lt' as const,
    filterValue: unseenSince.toISOString(),
  }),
})

/** All members, page by page (default: of the active organization). */
export async function allMembers(
  api: Api,
  organizationId: string | undefined,
  filter: MemberFilter = {},
): Promise<MemberView[]> {
  let found: MemberView[] = []
  for (let before = 0; ; ) {
    const { members, total } = await api.member.listMembers({
      ...memberQuery(filter),
      organizationId,
      limit: '1000',
      offset: String(found.length),
    })
    // Whoever left meanwhile moved the others up, so one of them was passed over: begin again.
    found = total < before ? [] : [...found, ...members]
    if (total >= before && (members.length === 0 || found.length >= total)) return found
    before = total
  }
}

/** Names of the members, teams and invitations of an organization, machines by their own names. */
export const namesInOrganization = ({ organization: { members, teams, invitations } }: OrganizationView): NamesById =>
  new Map([
    ...members.flatMap(({ id, userId, user }) => {
      const name = user.isMachine ? `machine ${user.name}` : user.email
      return [
        [id, name],
        [userId, name],
      ] as const
    }),
    ...(teams ?? []).map(({ id, name }) => [id, name] as const),
    ...invitations.map(({ id, email }) => [id, `the invitation of ${email}`] as const),
  ])

export interface ListedRole {
  readonly role: string
  readonly permissions: Readonly<Record<string, readonly string[]>>
  /** Whether the organization made it. */
  readonly own: boolean
}

export const toListedRole = ({ role, permissions, id }: Pick<Role, 'role' | 'permissions' | 'id'>): ListedRole => ({
  role,
  permissions,
  own: Boolean(id),
})

/** Each in the form that `role check` takes. */
export const permissionWords = (permissions: ListedRole['permissions']): string[] => [...permissionsIn(permissions)]

/** The combined permissions of several roles, each in the form that `role check` takes. */
export const permissionsOfRoles = (roles: Roles, held: readonly string[]): readonly string[] => [
  ...new Set(held.flatMap((role) => permissionWords(roles[role] ?? {}))),
]

/**
 * The roles that could be the owner role: they have every permission that any role has. A service can give its owner
 * role any name, but an organization cannot make one.
 */
export function ownerRolesOf(listed: readonly ListedRole[]): string[] {
  const predefined = listed.filter(({ own }) => !own)
  const roles: Roles = Object.fromEntries(predefined.map(({ role, permissions }) => [role, permissions]))
  const names = Object.keys(roles)
  return names.filter((name) => coversRoles(roles, [name], names))
}

/** An organization's own roles have names in lower case, and are found by any spelling. */
export function pickRole<R extends ListedRole>(listed: readonly R[], name: string): R {
  const lower = name.toLowerCase()
  const found = listed.find(({ role }) => role === name) ?? listed.find(({ role, own }) => own && role === lower)
  if (!found) throw notFoundError(`No role ${name}`, 'See them: postern role list')
  return found
}

/** The roles of the service, and those of the organization where one works. */
export async function listedRoles(context: FlowContext): Promise<readonly ListedRole[]> {
  const { api } = await context.signedIn()
  const organizationId = await workingOrganizationId(context)
  return (await api.role.listRoles({ organizationId })).map(toListedRole)
}

export const roleNames = async (context: FlowContext): Promise<readonly string[]> =>
  (await listedRoles(context)).map(({ role }) => role)

/** The roles that machines can have. */
export async function machineRoleNames(context: FlowContext): Promise<readonly string[]> {
  const listed = await listedRoles(context)
  const owners = ownerRolesOf(listed)
  return listed.flatMap(({ role }) => (owners.includes(role) ? [] : role))
}

/** The permissions that any role has. */
export const permissionNames = async (context: FlowContext): Promise<readonly string[]> => [
  ...new Set((await listedRoles(context)).flatMap(({ permissions }) => permissionWords(permissions))),
]
