import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/role.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type Actions, permissionsIn } from '../../../shared/permissions.ts'
import { isReservedRole, type OwnRole, type OwnRoles, type Role } from '../../../shared/role.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { inOneTrip, type Sql, withCommit } from '../../db/connect.ts'
import { type Actor, lockOrganizationAndFindActor, type OrganizationReader } from '../../db/organization-actors.ts'
import { listRoleUsers, type RoleUser, type SoughtRole, storeOwnRoles } from '../../db/own-roles.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireGrantWithinScopes } from '../key/rights.ts'
import { missingPermissionsOf, requireMembership, requireOrganizationId, requirePermission, rolesOf } from './roles.ts'

/** The roles of the settings, and after them the organization's own, the oldest first. */
export async function listRoles(
  deps: Deps,
  caller: Caller,
  { organizationId, predefined: isPredefinedOnly }: Input<typeof calls.listRoles>,
): Promise<Output<typeof calls.listRoles>> {
  const predefined = Object.entries(deps.config.roles).map(([name, actions]) => predefinedView(name, actions))
  if (isPredefinedOnly || !(organizationId ?? caller.session.activeOrganizationId)) return predefined
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const actor = await requireMembership(deps, caller, organizationId, failures)
  return [...predefined.filter(({ role }) => !Object.hasOwn(actor.ownRoles, role)), ...ownViews(deps.config, actor)]
}

/** A role of the settings has no id, so only its name finds it. */
export async function getRole(
  deps: Deps,
  caller: Caller,
  { organizationId, roleName, roleId }: Input<typeof calls.getRole>,
): Promise<Output<typeof calls.getRole>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const actor = await requireMembership(deps, caller, organizationId, failures)
  const { roles } = deps.config
  if (roleName !== undefined && Object.hasOwn(roles, roleName) && !Object.hasOwn(actor.ownRoles, roleName))
    return predefinedView(roleName, roles[roleName] ?? {})
  const { name, role } = requireOwnRole(deps.config, actor, { roleName, roleId })
  return presentView(deps.config, actor, { name, role })
}

const ownViews = (config: Config, actor: Actor): readonly Role[] =>
  Object.entries(actor.ownRoles)
    .map(([name, role]) => presentView(config, actor, { name, role }))
    .toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt))

/** With what the role allows now. */
const presentView = (config: Config, actor: Actor, { name, role }: NamedRole): Role =>
  viewOf(actor.organizationId, { name, role: { ...role, permission: allowedBy(config, actor, name) } })

const mutable = (actions: Actions): Record<string, string[]> =>
  Object.fromEntries(Object.entries(actions).map(([resource, list]) => [resource, [...list]]))

const predefinedView = (role: string, actions: Actions): Role => ({
  role,
  permissions: mutable(actions),
  permission: mutable(actions),
  id: null,
  organizationId: null,
  createdAt: null,
  updatedAt: null,
})

interface NamedRole {
  readonly name: string
  readonly role: OwnRole
}

const viewOf = (organizationId: string, { name, role }: NamedRole): Role => ({
  role: name,
  permissions: mutable(role.permission),
  permission: mutable(role.permission),
  id: role.id,
  organizationId,
  createdAt: new Date(role.createdAt),
  updatedAt: role.updatedAt === null ? null : new Date(role.updatedAt),
})

interface Chosen {
  readonly roleName?: string | undefined
  readonly roleId?: string | undefined
}

/** `predefined`: the failure for a role of the settings. */
function requireOwnRole(
  { roles }: Config,
  { ownRoles }: Actor,
  { roleName, roleId }: Chosen,
  predefined: FailureName = 'ROLE_NOT_FOUND',
): NamedRole {
  const name = roleName?.toLowerCase() ?? Object.keys(ownRoles).find((one) => ownRoles[one]?.id === roleId) ?? ''
  const role = Object.hasOwn(ownRoles, name) ? ownRoles[name] : undefined
  if (!role) throw new Failure(isReservedRole(roles, name) ? predefined : 'ROLE_NOT_FOUND')
  return { name, role }
}

type Change = 'create' | 'update' | 'delete'

const failuresOf = {
  create: ['ROLE_CREATE_FORBIDDEN', 'ROLE_CREATE_BEYOND_OWN'],
  update: ['ROLE_UPDATE_FORBIDDEN', 'ROLE_UPDATE_BEYOND_OWN'],
  delete: ['ROLE_DELETE_FORBIDDEN', 'ROLE_DELETE_BEYOND_OWN'],
} as const satisfies Record<Change, readonly [FailureName, FailureName]>

/** Finds who asks to change a role of an organization, and locks it, for which every grant of a role waits. */
const lockForRole = (tx: Sql, reader: OrganizationReader, named: SoughtRole, limit = 1) =>
  inOneTrip(
    tx,
    (one) => lockOrganizationAndFindActor(one, reader.organizationId, reader.userId),
    (one) => listRoleUsers(one, reader, named, limit),
  )

function requireRoleManager(config: Config, actor: Actor | null, change: Change): Actor {
  if (!actor) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  requirePermission(config, actor, `ac:${change}`, failuresOf[change][0])
  return actor
}

/** What an own role allows now. */
const allowedBy = (config: Config, actor: Actor, name: string): Actions => rolesOf(config, actor)[name] ?? {}

/** Nobody creates, changes or deletes a role with a permission that they lack. */
function requireWithinOwn(config: Config, actor: Actor, change: Change, permission: Actions): void {
  const missing = missingPermissionsOf(config, actor, permission)
  if (missing.length > 0) throw new Failure(failuresOf[change][1], { field: missing.slice(0, 10).join(', ') })
}

/** Each action once, so that what is stored is as large as the permissions that exist. */
function tidied({ roles }: Config, permission: Actions): Actions {
  const known = new Set(Object.values(roles).flatMap((actions) => Object.keys(actions)))
  if (!Object.keys(permission).every((resource) => known.has(resource))) throw new Failure('ROLE_RESOURCE_UNKNOWN')
  return Object.fromEntries(Object.entries(permission).map(([resource, list]) => [resource, [...new Set(list)]]))
}

/** A name that somebody has from an earlier role would give them the new one. */
function requireFreeName({ roles }: Config, ownRoles: OwnRoles, name: string, users: readonly RoleUser[]): void {
  if (isReservedRole(roles, name) || Object.hasOwn(ownRoles, name) || users.length > 0)
    throw new Failure('ROLE_NAME_TAKEN')
}

const permissionText = (permission: Actions): string => permissionsIn(permission).join(' ')

export async function createRole(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { organizationId: named, role: given, permission: wanted }: Input<typeof calls.createRole>,
): Promise<Output<typeof calls.createRole>> {
  const organizationId = requireOrganizationId(caller, named, 'NO_ORGANIZATION_FOR_ROLE')
  const name = given.toLowerCase()
  const permission = tidied(config, wanted)
  const role = { id: newId(), permission, createdAt: new Date().toISOString(), updatedAt: null }
  const room = client.requireRoom(organizationId, 'organization-role-created')
  await transactionWithEvents(sql, room, async (tx) => {
    const [found, users] = await lockForRole(tx, { organizationId, userId: caller.user.id }, { name })
    const actor = requireRoleManager(config, found, 'create')
    requireWithinOwn(config, actor, 'create', permission)
    requireGrantWithinScopes(caller.key, permission)
    requireFreeName(config, actor.ownRoles, name, users)
    if (Object.keys(actor.ownRoles).length >= config.ROLE_LIMIT) throw new Failure('ROLE_LIMIT_REACHED')
    const about = { userId: caller.user.id, organizationId, role: name, permissions: permissionText(permission) }
    const event = client.event(tx, 'organization-role-created', about)
    await withCommit(tx, (last) =>
      storeOwnRoles(last, { organizationId, roles: { ...actor.ownRoles, [name]: role } }, event),
    )
  })
  const roleData = viewOf(organizationId, { name, role })
  return { success: true, roleData, statements: roleData.permissions }
}

type RoleUpdate = Input<typeof calls.updateRole>

/** Finds the role behind the lock, and refuses what the caller may not make of it. */
async function lockUpdatedRole(tx: Sql, config: Config, reader: OrganizationReader, { data, ...chosen }: RoleUpdate) {
  const name = data.roleName?.toLowerCase()
  const [found, users] = await lockForRole(tx, reader, { name: name ?? '' })
  const actor = requireRoleManager(config, found, 'update')
  const before = requireOwnRole(config, actor, chosen, 'ROLE_NOT_OWN')
  const wanted = data.permission && tidied(config, data.permission)
  for (const one of [allowedBy(config, actor, before.name), wanted ?? {}])
    requireWithinOwn(config, actor, 'update', one)
  const to = name ?? before.name
  if (to !== before.name) requireFreeName(config, actor.ownRoles, to, users)
  return { actor, before, to, wanted }
}

export async function updateRole(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  input: RoleUpdate,
): Promise<Output<typeof calls.updateRole>> {
  const organizationId = requireOrganizationId(caller, input.organizationId, 'NO_ACTIVE_ORGANIZATION')
  const reader = { organizationId, userId: caller.user.id }
  const room = client.requireRoom(organizationId, 'organization-role-updated')
  const updated = await transactionWithEvents(sql, room, async (tx) => {
    const { actor, before, to, wanted } = await lockUpdatedRole(tx, config, reader, input)
    const { name: from } = before
    const allowed = allowedBy(config, actor, from)
    requireGrantWithinScopes(caller.key, allowed, wanted ?? {})
    const permission = wanted ?? allowed
    if (to === from && !wanted) return { name: from, role: { ...before.role, permission } }
    const role = { ...before.role, permission, updatedAt: new Date().toISOString() }
    const about = { ...reader, from, to, permissions: permissionText(permission) }
    const event = client.event(tx, 'organization-role-updated', about)
    const { [from]: _, ...others } = actor.ownRoles
    const change = { organizationId, roles: { ...others, [to]: role }, renamed: to === from ? null : { from, to } }
    await withCommit(tx, (last) => storeOwnRoles(last, change, event))
    return { name: to, role }
  })
  return { success: true, roleData: viewOf(organizationId, updated) }
}

/** How many of those who have a role its refusal names. */
const maxNamedUsers = 5

/** Decided behind the lock, so nobody is given the role meanwhile. */
export async function deleteRole(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { organizationId: named, roleName, roleId }: Input<typeof calls.deleteRole>,
): Promise<Output<typeof calls.deleteRole>> {
  const organizationId = requireOrganizationId(caller, named, 'NO_ACTIVE_ORGANIZATION')
  const room = client.requireRoom(organizationId, 'organization-role-deleted')
  await transactionWithEvents(sql, room, async (tx) => {
    const chosen = { name: roleName?.toLowerCase(), id: roleId }
    const reader = { organizationId, userId: caller.user.id }
    const [found, users] = await lockForRole(tx, reader, chosen, maxNamedUsers + 1)
    const actor = requireRoleManager(config, found, 'delete')
    const { name } = requireOwnRole(config, actor, { roleName, roleId }, 'ROLE_PREDEFINED')
    requireWithinOwn(config, actor, 'delete', allowedBy(config, actor, name))
    refuseWhileUsed(users)
    const event = client.event(tx, 'organization-role-deleted', { userId: caller.user.id, organizationId, role: name })
    const { [name]: _, ...others } = actor.ownRoles
    await withCommit(tx, (last) => storeOwnRoles(last, { organizationId, roles: others }, event))
  })
  return { success: true }
}

function refuseWhileUsed(users: readonly RoleUser[]): void {
  if (users.length === 0) return
  const told = users
    .slice(0, maxNamedUsers)
    .map(({ kind, name }) => (kind === 'member' ? name : `invitation of ${name}`))
  throw new Failure('ROLE_IN_USE', { field: [...told, ...(users.length > maxNamedUsers ? ['others'] : [])].join(', ') })
}
