import { callScopes } from '../../../shared/contract/scopes.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Authority, MachineKey, TrustRule } from '../../../shared/machine-key.ts'
import { type Actions, coversRoles, type PermissionRequest, permissionsIn } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import type { StoredKey } from '../../db/machine-keys.ts'
import type { MemberRoles, OwnRoleDefinitions, Sponsorship } from '../../db/organization-actors.ts'
import type { StoredRule } from '../../db/trust-rules.ts'
import { lockLiveSession } from '../../db/user-sessions.ts'
import { parseIpRange } from '../../limits/ip-address.ts'
import type { Caller, MachineCaller } from '../../request/client.ts'
import {
  can,
  canRemoveMember,
  definitionOf,
  hasEveryPermissionOfRoles,
  isOwner,
  requireAllowed,
  requireKnownRoles,
  rolesOf,
} from '../organization/roles.ts'

/** Members who can create or revoke keys can see them. */
export const canSeeKeys = (config: Config, actor: MemberRoles): boolean =>
  can(config, actor, 'member:create') || can(config, actor, 'member:delete')

/**
 * Whether a member may hold a machine with these roles: never with more permissions than their own, and never an owner.
 */
const canHoldMachine = (config: Config, actor: MemberRoles, roles: readonly string[]): boolean =>
  !isOwner(config, roles) && hasEveryPermissionOfRoles(config, actor, roles)

/** Whether a member may create a machine with these roles, and so be responsible for one. */
export const canCreateMachine = (config: Config, actor: MemberRoles, roles: readonly string[]): boolean =>
  can(config, actor, 'member:create') && canHoldMachine(config, actor, roles)

/**
 * Refuses members who could not have created the machine: nobody is responsible for a machine with more permissions
 * than their own.
 */
export function requireMachineCreator(config: Config, actor: MemberRoles, roles: readonly string[]): void {
  if (!canCreateMachine(config, actor, roles)) throw new Failure('KEY_ADOPT_FORBIDDEN')
}

/** Refuses members who may not create a member with these roles, and roles that the organization lacks. */
export function requireMemberCreator(
  config: Config,
  actor: MemberRoles | null,
  roles: readonly string[],
): asserts actor is MemberRoles {
  if (!actor) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  requireKnownRoles(config, actor, roles)
  if (!can(config, actor, 'member:create')) throw new Failure('KEY_CREATE_FORBIDDEN')
  if (!canHoldMachine(config, actor, roles)) throw new Failure('KEY_ROLE_FORBIDDEN')
}

/**
 * Refuses to end a machine, which removes its member: that is for whoever could do so, and for the member who is
 * responsible for it.
 */
export function requireMachineEnder(
  config: Config,
  actor: MemberRoles,
  { user }: Caller,
  { role, sponsorId }: Pick<StoredKey, 'role' | 'sponsorId'>,
): void {
  if (sponsorId === user.id) return
  requireAllowed(actor, (as) => canRemoveMember(config, as, role ?? []), 'KEY_REVOKE_FORBIDDEN')
}

/** Keeps the caller's session alive until the transaction ends, and says whether it lives. A key needs none. */
export const holdSession = async (tx: Sql, { session, key }: Caller): Promise<boolean> =>
  (await lockLiveSession(tx, key ? null : session.id)) || key !== null

/**
 * A key outlives the session that creates it, so the session has to stay alive until then. Otherwise a request that
 * waited while all sessions were ended, for example by a password reset, would bring access back.
 */
export function requireLiveSession(isLive: boolean): void {
  if (!isLive) throw new Failure('UNAUTHORIZED')
}

/** A key that the caller may see, and their standing in its organization. Without roles for a personal key. */
export interface VisibleKey {
  readonly key: StoredKey
  readonly actor: MemberRoles
}

const noStanding: MemberRoles = { roles: [], sponsorRoles: null, ownRoles: {} }

/**
 * The caller's own key, the calling key itself, or a key of an organization where the caller (`member`) creates or ends
 * keys. Any other key looks as if it did not exist.
 */
export function requireVisibleKey(
  config: Config,
  caller: Caller,
  key: StoredKey | null,
  member: MemberRoles | null,
): VisibleKey {
  if (!key) throw new Failure('KEY_NOT_FOUND')
  if (key.organizationId === null) {
    if (key.userId !== caller.user.id) throw new Failure('KEY_NOT_FOUND')
    return { key, actor: noStanding }
  }
  const actor = member ?? noStanding
  if (key.userId !== caller.user.id && !canSeeKeys(config, actor)) throw new Failure('KEY_NOT_FOUND')
  return { key, actor }
}

/** A key that the current transaction has just created or changed. */
export function requireStored(key: StoredKey | null): StoredKey {
  if (!key) throw new Failure('KEY_NOT_FOUND')
  return key
}

export const keyView = (config: Config, key: StoredKey): MachineKey => ({
  ...key,
  // A personal key acts as its owner.
  authority: key.organizationId === null ? 'full' : authorityOf(config, key, key.role ?? []),
})

export const ruleView = (config: Config, rule: StoredRule): TrustRule => ({
  ...rule,
  authority: authorityOf(config, rule, rule.role),
})

function authorityOf(config: Config, machine: Sponsorship, held: readonly string[]): Authority {
  if (machine.sponsorRoles === null) return 'none'
  return coversRoles(rolesOf(config, machine), machine.sponsorRoles, held) ? 'full' : 'limited'
}

/** Refuses a scope that no call requires and no role grants, because it would never have an effect. */
export function requireKnownScopes({ roles }: Config, scopes: readonly string[]): void {
  const known = new Set([...callScopes, ...Object.values(roles).flatMap(permissionsIn)])
  if (!scopes.every((scope) => known.has(scope))) throw new Failure('SCOPE_NOT_FOUND')
}

/** Whether a key's scopes include everything that is asked. Callers without a key have no scopes to check. */
export function isWithinScopes(key: MachineCaller | null, request: PermissionRequest): boolean {
  const { scopes = null } = key ?? {}
  if (scopes === null) return true
  return Object.entries(request).every(([resource, asked]) =>
    ('actions' in asked ? asked.actions : asked).every((action) => scopes.includes(`${resource}:${action}`)),
  )
}

/**
 * Refuses what a key's scopes do not include. A key that grants more than it can do itself would get around its scopes
 * through whoever receives the grant.
 */
export function requireGrantWithinScopes(key: MachineCaller | null, ...granted: readonly Actions[]): void {
  const { scopes = null } = key ?? {}
  const missing = scopes && granted.flatMap(permissionsIn).find((permission) => !scopes.includes(permission))
  if (missing) throw new Failure('KEY_SCOPE_MISSING', { field: missing })
}

/** The same for every permission that these roles allow now or may allow again. */
export const requireRolesWithinScopes = (
  config: Config,
  organization: OwnRoleDefinitions,
  key: MachineCaller | null,
  roles: readonly string[],
): void => requireGrantWithinScopes(key, ...roles.map((name) => definitionOf(config, organization, name)))

/** Refuses text that is neither an address nor a range. */
export function requireAddressRanges(ranges: readonly string[]): void {
  try {
    ranges.map(parseIpRange)
  } catch (cause) {
    throw new Failure('IP_RANGE_INVALID', { cause })
  }
}

/** Whether an address is in one of the ranges. No ranges means any address. */
export const isAddressAllowed = (ranges: readonly string[], address: string): boolean =>
  ranges.length === 0 || ranges.some((range) => parseIpRange(range)(address))
