import type { FullOrganization, Invitation, MemberView } from '../../../shared/organization.ts'
import { coversRoles, may, type Roles } from '../../../shared/permissions.ts'
import type { Connection } from '../../client/connection.ts'
import { roleText } from '../../output/words.ts'
import type { Names } from '../audit/names.ts'
import type { Option } from '../flow.ts'
import type { FlowConnection, Ports } from '../ports.ts'

/** An organization as one of its members sees it. */
export interface OrganizationView {
  /** With what became of its invitations. */
  readonly organization: FullOrganization
  /** The roles of the service, and what each may do. */
  readonly roles: Roles
  /** Those that may be what the service calls its creators. */
  readonly ownerRoles: readonly string[]
  /** Who looks. */
  readonly self: MemberView | undefined
}

/** All of an organization in one reading. Nobody but its members may. */
export async function loadOrganization(
  { api }: Pick<FlowConnection, 'api'>,
  organizationId: string,
  userId: string | undefined,
): Promise<OrganizationView> {
  const [whole, invitations, listed] = await Promise.all([
    wholeOrganization(api, { organizationId }),
    api.invitation.listInvitations({ organizationId, status: 'all' }),
    api.organization.listRoles(),
  ])
  if (!whole) throw new Error('This organization is gone.')
  const organization = { ...whole, invitations }
  const roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const self = organization.members.find((member) => member.userId === userId)
  return { organization, roles, ownerRoles: ownerRolesOf(listed), self }
}

/** Whether a member with these roles owns the organization. */
export const isOwner = ({ ownerRoles }: Pick<OrganizationView, 'ownerRoles'>, held: readonly string[] = []): boolean =>
  held.some((role) => ownerRoles.includes(role))

export type Permission = `${'organization' | 'member' | 'invitation' | 'team'}:${string}`

/** Why this is not for my role; undefined: it is. */
export function whyNotPermitted({ roles, self }: OrganizationView, permission: Permission): string | undefined {
  const [resource = '', action = ''] = permission.split(':')
  if (self && may(roles, self.role, { [resource]: [action] })) return undefined
  return `your role (${roleText(self?.role ?? ['none'])}) lacks ${permission}`
}

/** Who makes keys, and who revokes them, sees them. */
export const whyNotSeeKeys = (view: OrganizationView): string | undefined =>
  whyNotPermitted(view, 'member:delete') && whyNotPermitted(view, 'member:create')

type Held = Pick<MemberView, 'id' | 'role'>

/** Whether these are all the owners that are left. */
const areLastOwners = (view: OrganizationView, targets: readonly Held[]): boolean => {
  const ids = new Set(targets.map(({ id }) => id))
  const isTouched = targets.some(({ role }) => isOwner(view, role))
  return isTouched && !view.organization.members.some(({ id, role }) => isOwner(view, role) && !ids.has(id))
}

/** Only owners touch owners, and nobody touches who may do more. */
function whyBeyond(view: OrganizationView, targets: readonly Held[], act: string): string | undefined {
  const { roles, self } = view
  if (isOwner(view, self?.role)) return undefined
  if (targets.some(({ role }) => isOwner(view, role))) return `only owners ${act} owners`
  const isCovered = targets.every(({ role }) => coversRoles(roles, self?.role ?? [], role))
  return isCovered ? undefined : 'they may do more than you may'
}

export const whyNotRemove = (view: OrganizationView, targets: readonly Held[]): string | undefined =>
  whyNotPermitted(view, 'member:delete') ??
  whyBeyond(view, targets, 'remove') ??
  (areLastOwners(view, targets) ? lastOwner : undefined)

export const whyNotSetRoles = (view: OrganizationView, targets: readonly Held[]): string | undefined =>
  whyNotPermitted(view, 'member:update') ?? whyBeyond(view, targets, 'change')

/** Whether the owner's role may not be taken from them: nobody else has it. */
export const mustStayOwner = areLastOwners
export const lastOwner = 'the last owner has to stay; make another one first'

export const whyNotLeave = (view: OrganizationView): string | undefined =>
  view.self && areLastOwners(view, [view.self]) ? lastOwner : undefined

/** Why I may not give this role to anybody. */
export function whyNotGrant(view: OrganizationView, role: string): string | undefined {
  const { roles, self } = view
  if (isOwner(view, [role]) && !isOwner(view, self?.role)) return 'only owners make owners'
  return coversRoles(roles, self?.role ?? [], [role]) ? undefined : 'it may more than you may'
}

/** Why this service or this role has no teams to change. */
export const whyNotChangeTeams = (view: OrganizationView, permission: Permission): string | undefined =>
  view.organization.teams === null ? 'this service has no teams' : whyNotPermitted(view, permission)

/** How an invitation stands; time ends one without a word. */
const statusOf = ({ status, expiresAt }: Pick<Invitation, 'status' | 'expiresAt'>, now = Date.now()): string =>
  status === 'pending' && expiresAt.getTime() <= now ? 'expired' : status

/** Of all that were sent, those that wait for an answer. */
export const waitingOf = (invitations: readonly Invitation[]): readonly Invitation[] =>
  invitations.filter((invitation) => statusOf(invitation) === 'pending')

/** The organization as flows take it that are about something in it. */
export const scopeOf = ({ organization: { id, slug } }: OrganizationView) => ({ organizationId: id, org: slug })

export const membersOfTeam = ({ organization }: OrganizationView, teamId: string): readonly MemberView[] =>
  organization.members.filter((member) => member.teamId === teamId)

/** `member: create, update; team: create` */
export const permissionsOf = ({ roles }: OrganizationView, role: string): string =>
  Object.entries(roles[role] ?? {})
    .filter(([, actions]) => actions.length > 0)
    .map(([resource, actions]) => `${resource}: ${actions.join(', ')}`)
    .join('; ') || 'look at it'

/** The roles of the service, with why one may not be given by who looks. */
export const grantableRoles = (view: OrganizationView): readonly Option[] =>
  Object.keys(view.roles).map((role) => ({ id: role, label: role, disabledReason: whyNotGrant(view, role) }))

/** The same for a machine, which is never an owner. */
export const machineRoles = (view: OrganizationView): readonly Option[] =>
  grantableRoles(view).map((role) =>
    isOwner(view, [role.id]) ? { ...role, disabledReason: 'no machine is an owner' } : role,
  )

type Api = Connection['api']

/**
 * All of an organization, the active one where none is named, also when an answer holds only the start of its lists. Null:
 * there is none.
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

/** All members, page by page; the organization is the active one where none is named. */
export async function allMembers(api: Api, organizationId: string | undefined): Promise<MemberView[]> {
  const found: MemberView[] = []
  for (;;) {
    const { members, total } = await api.member.listMembers({
      organizationId,
      limit: '100',
      offset: String(found.length),
    })
    found.push(...members)
    if (members.length === 0 || found.length >= total) return found
  }
}

/** Everybody and everything in an organization, machines by what they are called. */
export const namesWithin = ({ organization: { members, teams, invitations } }: OrganizationView): Names =>
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
}

/** Each as `role check` takes it. */
export const permissionWords = (permissions: ListedRole['permissions']): string[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

/** What several roles together let somebody do, each as `role check` takes it. */
export const permittedTo = (roles: Roles, held: readonly string[]): readonly string[] => [
  ...new Set(held.flatMap((role) => permissionWords(roles[role] ?? {}))),
]

/** The roles that may be the one that owns: they hold whatever any role holds. A service may call its owners as it likes. */
export function ownerRolesOf(
  listed: readonly { readonly role: string; readonly permissions: Roles[string] }[],
): string[] {
  const roles: Roles = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  const names = Object.keys(roles)
  return names.filter((name) => coversRoles(roles, [name], names))
}

export async function roleNames(ports: Ports): Promise<readonly string[]> {
  const { api } = await ports.signedIn()
  return (await api.organization.listRoles()).map(({ role }) => role)
}
