import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import {
  type Actions,
  coversRoles,
  isPermitted,
  missingPermissions,
  type PermissionRequest,
  type Roles,
  rolesLimitedTo,
} from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'
import { inOneTrip, type ReadSql, type Sql } from '../../db/connect.ts'
import { readCheckedList } from '../../db/lists.ts'
import {
  type Actor,
  findActor,
  type MemberRoles,
  type OrganizationReader,
  type OwnRoleDefinitions,
} from '../../db/organization-actors.ts'
import { inSharedTrip } from '../../db/shared-trips.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'

/**
 * The roles of an organization: those of the settings and its own, which keep their meaning when the settings take
 * their name. What no role of the settings allows any more, an own one does not allow either.
 */
export function rolesOf({ roles }: Rules, { ownRoles }: OwnRoleDefinitions): Roles {
  const own = Object.entries(ownRoles).map(([name, { permission }]) => [name, permission] as const)
  return own.length === 0 ? roles : { ...roles, ...rolesLimitedTo(Object.fromEntries(own), Object.keys(roles), roles) }
}

/** Whether the organization has all these roles, and there is one. */
export function areKnownRoles(config: Rules, organization: OwnRoleDefinitions, given: readonly string[]): boolean {
  const roles = rolesOf(config, organization)
  return given.length > 0 && given.every((name) => Object.hasOwn(roles, name))
}

/** Refuses unknown roles and an empty list. */
export function requireKnownRoles(config: Rules, organization: OwnRoleDefinitions, given: readonly string[]): void {
  if (!areKnownRoles(config, organization, given)) throw new Failure('ROLE_NOT_FOUND')
}

/** Whether somebody has the owner's role, which protects them. */
export const isOwner = ({ CREATOR_ROLE }: Config, held: readonly string[]): boolean => held.includes(CREATOR_ROLE)

/** Whether that lets them act as an owner: not where the organization has a role of its own with this name. */
export const actsAsOwner = (config: Config, { roles, ownRoles }: MemberRoles): boolean =>
  isOwner(config, roles) && !Object.hasOwn(ownRoles, config.CREATOR_ROLE)

type Rules = Pick<Config, 'roles'>
type Permission = `${'organization' | 'member' | 'invitation' | 'team' | 'webhook' | 'ac'}:${string}`

/** Whether a member has all the permissions asked for. A machine has no more than its sponsor. */
export const hasMemberPermissions = (config: Rules, member: MemberRoles, asked: PermissionRequest): boolean =>
  isPermitted(effectiveRolesOf(config, member), member.roles, asked)

/** What each role of the organization allows this member, who may be a machine. */
function effectiveRolesOf(config: Rules, member: MemberRoles): Roles {
  const roles = rolesOf(config, member)
  return member.sponsorRoles === null ? roles : rolesLimitedTo(roles, member.sponsorRoles)
}

/** The permissions in `wanted` that a member lacks. */
export const missingPermissionsOf = (config: Rules, member: MemberRoles, wanted: Actions): readonly string[] =>
  missingPermissions(effectiveRolesOf(config, member), member.roles, wanted)

/** Whether a member has one permission. */
export function can(config: Rules, member: MemberRoles, permission: Permission): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return hasMemberPermissions(config, member, { [resource]: [action] })
}

/** Whether a member has every permission of these roles. */
export function hasEveryPermissionOfRoles(config: Rules, member: MemberRoles, granted: readonly string[]): boolean {
  const [roles, { sponsorRoles }] = [rolesOf(config, member), member]
  return (
    coversRoles(roles, member.roles, granted) && (sponsorRoles === null || coversRoles(roles, sponsorRoles, granted))
  )
}

/** The permissions with which a role was made. One of the organization may allow fewer now. */
export function definitionOf({ roles }: Rules, { ownRoles }: OwnRoleDefinitions, name: string): Actions {
  const own = Object.hasOwn(ownRoles, name) ? ownRoles[name] : undefined
  return own?.permission ?? (Object.hasOwn(roles, name) ? roles[name] : undefined) ?? {}
}

/**
 * Whether one of these roles was made with permissions that no role of the settings has any more. It allows them again
 * when the settings do.
 */
const areDormantIn = (rules: Rules, organization: OwnRoleDefinitions, given: readonly string[]): boolean =>
  given.some((name) => {
    const { roles } = rules
    return missingPermissions(roles, Object.keys(roles), definitionOf(rules, organization, name)).length > 0
  })

/**
 * Whether a member may grant these roles: only owners make owners, and nobody grants more than they hold. What a role
 * may allow later is held by nobody now, so that only owners give it.
 */
export const canGrantRoles = (config: Config, giver: MemberRoles, roles: readonly string[]): boolean =>
  (actsAsOwner(config, giver) || !(isOwner(config, roles) || areDormantIn(config, giver, roles))) &&
  hasEveryPermissionOfRoles(config, giver, roles)

/**
 * Whether a member may change another with these roles. Owners may for everybody; others only for members who are no
 * owners and have no permission that they lack.
 */
export const canManageMember = (config: Config, actor: MemberRoles, held: readonly string[]): boolean =>
  actsAsOwner(config, actor) || (!isOwner(config, held) && hasEveryPermissionOfRoles(config, actor, held))

/** Whether a member may remove another with these roles. */
export const canRemoveMember = (config: Config, actor: MemberRoles, held: readonly string[]): boolean =>
  can(config, actor, 'member:delete') && canManageMember(config, actor, held)

/**
 * Refuses members without the permission. A machine gets a failure of its own when its roles suffice and only its
 * sponsor lacks the permission.
 */
export function requireAllowed(
  member: MemberRoles,
  isAllowed: (member: MemberRoles) => boolean,
  failure: FailureName,
): void {
  if (isAllowed(member)) return
  throw new Failure(isAllowed({ ...member, sponsorRoles: null }) ? 'SPONSOR_MAY_NOT' : failure)
}

/** The same for one permission. */
export const requirePermission = (
  config: Rules,
  member: MemberRoles,
  permission: Permission,
  failure: FailureName,
): void => requireAllowed(member, (as) => can(config, as, permission), failure)

interface Failures {
  /** Thrown when no organization is named and none is active. */
  readonly none: FailureName
  /** Thrown for non-members, and for an organization that does not exist, so that nobody learns which do. */
  readonly outsider: FailureName
}

/** The named organization, or the session's active one. Says nothing about membership. */
export function requireOrganizationId({ session }: Caller, named: string | undefined, none: FailureName): string {
  const id = named ?? session.activeOrganizationId
  if (!id) throw new Failure(none)
  return id
}

interface Organization extends Failures {
  readonly named: string | undefined
}

interface FoundAsMember<T> {
  readonly actor: Actor
  readonly found: T
}

/**
 * The caller's membership of the named or active organization, and what `read` finds there for its members. Both are
 * asked for in one round trip.
 */
export async function readAsMember<T>(
  { sql }: Deps,
  caller: Caller,
  { named, none, outsider }: Organization,
  read: (sql: Sql, reader: OrganizationReader) => PromiseLike<T>,
): Promise<FoundAsMember<T>> {
  const reader = { organizationId: requireOrganizationId(caller, named, none), userId: caller.user.id }
  // In this order, so that a member who is removed in between is refused rather than shown an empty list.
  const [found, actor] = await inOneTrip(
    sql,
    (one) => read(one, reader),
    (one) => findActor(one, reader.organizationId, reader.userId),
  )
  if (!actor) throw new Failure(outsider)
  return { actor, found }
}

/** The same for a list that a replica may answer. The membership is always the primary's. */
export async function listAsMember<T>(
  deps: Deps,
  caller: Caller,
  { named, none, outsider, freshness }: Organization & { readonly freshness: Freshness },
  list: (sql: ReadSql, reader: OrganizationReader) => PromiseLike<T>,
): Promise<FoundAsMember<T>> {
  const reader = { organizationId: requireOrganizationId(caller, named, none), userId: caller.user.id }
  const read = await readCheckedList(
    deps,
    freshness,
    (sql) => findActor(sql, reader.organizationId, reader.userId),
    (sql) => list(sql, reader),
  )
  if (!read) throw new Failure(outsider)
  const [actor, found] = read
  return { actor, found }
}

/**
 * A write by a member whose rights `check` found before. It does nothing when they changed meanwhile; then they are
 * checked once more, which also finds the reason, and it is tried again.
 */
export const actAsChecked = async <T>(
  check: () => Promise<Actor>,
  act: (actor: Actor) => Promise<T | null>,
): Promise<T | null> => (await act(await check())) ?? act(await check())

/** The caller's membership of the named or active organization. */
export async function requireMembership(
  { sql }: Deps,
  caller: Caller,
  named: string | undefined,
  { none, outsider }: Failures,
): Promise<Actor> {
  const organizationId = requireOrganizationId(caller, named, none)
  const actor = await inSharedTrip(sql, (one) => findActor(one, organizationId, caller.user.id))
  if (!actor) throw new Failure(outsider)
  return actor
}
