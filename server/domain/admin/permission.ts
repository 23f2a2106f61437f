import type { hasPlatformPermission as PermissionCall } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { isPermitted, type PermissionRequest, platformRoles, type Roles } from '../../../shared/permissions.ts'
import { parseRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { type AdminRule, findActorAndTarget, hasAdmin, lockAdministration } from '../../db/admins.ts'
import { inOneTrip, type Sql } from '../../db/connect.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import type { ProvenAddress } from '../../request/proven-address.ts'

export type PlatformPermission = `${'user' | 'session' | 'audit' | 'key' | 'webhook' | 'mail'}:${string}`

/** The fields that platform permissions depend on. */
export type PlatformPerson = Pick<FullUser, 'id' | 'role'> & {
  /** The proof that makes a user named by ADMIN_EMAILS an administrator. */
  readonly provenAddress: ProvenAddress | null
}

type Rules = Pick<Config, 'platformRoles' | 'ADMIN_USER_IDS' | 'ADMIN_EMAILS'>

/** Refuses callers without a platform permission. Impersonated sessions and machine keys have none. */
export function requirePlatformPermission(
  { config }: Pick<Deps, 'config'>,
  caller: Caller,
  permission: PlatformPermission,
  failure: FailureName,
): void {
  if (!isAllowedOnPlatform(config, caller, permission)) throw new Failure(failure)
}

export const isAllowedOnPlatform = (config: Rules, caller: Caller, permission: PlatformPermission): boolean =>
  holds(config, ownPersonOf(caller), permission)

/** The same for the person whose rights the caller uses, as read for the request or behind a lock. */
export const holds = (config: Rules, person: PlatformPerson | null, permission: PlatformPermission): boolean =>
  person !== null && isGranted(config, person, permission)

/** Null for an impersonation and a key, which have no rights on the platform. */
export const ownPersonOf = (caller: Caller): PlatformPerson | null =>
  usesOwnSession(caller) ? platformPersonOf(caller) : null

export const platformPersonOf = ({ user: { id, role }, provenAddress }: Caller): PlatformPerson => ({
  id,
  role,
  provenAddress,
})

/** Whether the caller uses their own session, neither impersonated nor by a key. */
const usesOwnSession = ({ session, key }: Caller): boolean => session.impersonatedBy === null && key === null

/** Whether a person's roles, or the settings, grant a permission. */
export function isGranted(config: Rules, person: PlatformPerson, permission: PlatformPermission): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return areAllGranted(config, person, { [resource]: [action] })
}

const areAllGranted = (config: Rules, person: PlatformPerson, request: PermissionRequest): boolean =>
  isNamedInSettings(config, person) || isPermitted(config.platformRoles, rolesOf(person), request)

/** Whether somebody can make others administrators. One such person always has to remain. */
export const isAdmin = (config: Rules, person: PlatformPerson): boolean => isGranted(config, person, 'user:set-role')

/** Whether somebody who may impersonate no longer may, so that the impersonations under way have to end. */
export const losesActing = (config: Rules, before: PlatformPerson, after: PlatformPerson): boolean =>
  isGranted(config, before, 'user:impersonate') && !isGranted(config, after, 'user:impersonate')

/** Whether somebody has any permission on the platform. */
export const isPrivileged = (config: Rules, person: PlatformPerson): boolean => permissionsOf(config, person).length > 0

/** Whether `one` has every permission of `other`. Nobody may act on a person with more permissions. */
export const hasEveryPermissionOf = (config: Rules, one: PlatformPerson, other: PlatformPerson): boolean =>
  isNamedInSettings(config, one) ||
  permissionsOf(config, other).every((permission) => isGranted(config, one, permission))

/** The roles that make a user an administrator. */
const adminRolesOf = ({ platformRoles: roles }: Rules): string[] =>
  Object.keys(roles).filter((name) => isPermitted(roles, [name], { user: ['set-role'] }))

/** Refuses unknown roles and an empty list. */
export function requireKnownRoles({ platformRoles: roles }: Rules, given: readonly string[]): void {
  if (given.length === 0 || !given.every((name) => Object.hasOwn(roles, name))) throw new Failure('ROLE_NOT_FOUND')
}

/**
 * Users named in the settings are administrators whatever their role is. An address counts only when its mailbox is
 * proven.
 */
const isNamedInSettings = ({ ADMIN_USER_IDS, ADMIN_EMAILS }: Rules, { id, provenAddress }: PlatformPerson): boolean =>
  ADMIN_USER_IDS.includes(id) || (provenAddress !== null && ADMIN_EMAILS.includes(provenAddress.email))

const rolesOf = ({ role }: PlatformPerson): readonly string[] => (role && role.length > 0 ? role : ['user'])

const permissionsOf = (config: Rules, person: PlatformPerson): readonly PlatformPermission[] =>
  isNamedInSettings(config, person)
    ? listOf({ ...platformRoles, ...config.platformRoles }, () => true)
    : listOf(config.platformRoles, (name) => rolesOf(person).includes(name))

const listOf = (roles: Roles, isHeld: (name: string) => boolean): PlatformPermission[] =>
  Object.entries(roles)
    .filter(([name]) => isHeld(name))
    .flatMap(([, actions]) => Object.entries(actions))
    .flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}` as PlatformPermission))

export const adminRuleOf = (config: Config): AdminRule => ({
  roles: adminRolesOf(config),
  ids: config.ADMIN_USER_IDS,
  emails: config.ADMIN_EMAILS,
})

/**
 * Whether no administrator is left without this user; call it first in a transaction. It guards only against
 * administrators who remove themselves: anybody who can remove another administrator has to be one, and stays.
 */
export async function lockLastAdmin({ config }: Deps, tx: Sql, user: PlatformPerson): Promise<boolean> {
  if (!isAdmin(config, user)) return false
  const [, hasOther] = await inOneTrip(tx, lockAdministration, (sql) => hasAdmin(sql, adminRuleOf(config), user.id))
  return !hasOther
}

/**
 * Anybody may ask about themselves, with the rights of their session. Asking about others or about roles needs
 * permission to list users.
 */
export async function hasPlatformPermission(
  deps: Deps,
  caller: Caller,
  { userId, role, permissions, permission }: Input<typeof PermissionCall>,
): Promise<Output<typeof PermissionCall>> {
  const request = permissions ?? permission ?? {}
  const isOwn = userId === undefined ? role === undefined : userId === caller.user.id
  if (isOwn) return answer(usesOwnSession(caller) && areAllGranted(deps.config, platformPersonOf(caller), request))
  requirePlatformPermission(deps, caller, 'user:list', 'USER_LIST_FORBIDDEN')
  if (userId === undefined) return answer(isPermitted(deps.config.platformRoles, parseRoles(role ?? ''), request))
  return answer(await isGrantedTo(deps, caller, userId, request))
}

const answer = (success: boolean) => ({ error: null, success })

async function isGrantedTo({ config, sql }: Deps, { session }: Caller, userId: string, request: PermissionRequest) {
  const { target } = await findActorAndTarget(sql, { sessionId: session.id, userId })
  if (!target) throw new Failure('SUBJECT_NOT_FOUND')
  return areAllGranted(config, target, request)
}
