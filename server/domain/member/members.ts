import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/member.ts'
import type { addMember as AddMemberCall } from '../../../shared/contract/organization.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { withCommit } from '../../db/connect.ts'
import {
  deleteMember,
  findMember,
  findRolesOfMember,
  addMember as insertMember,
  type LockedMember,
  lockMembers,
  type MemberTarget,
  updateMemberRole as storeRoles,
} from '../../db/members.ts'
import type { MemberRoles } from '../../db/organization-actors.ts'
import { findUser, lockForJoining } from '../../db/organizations.ts'
import { inSharedTrip } from '../../db/shared-trips.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession } from '../../request/sign-in-method-capability.ts'
import { adoptMachines, type MachineEvent, machineEvents, revokeMachines } from '../key/machines.ts'
import { holdSession, requireLiveSession, requireRolesWithinScopes } from '../key/rights.ts'
import { memberLimits, organizationLimitOf } from '../organization/limit.ts'
import {
  actsAsOwner,
  can,
  canGrantRoles,
  canManageMember,
  canRemoveMember,
  isOwner,
  requireAllowed,
  requireKnownRoles,
  requireOrganizationId,
} from '../organization/roles.ts'

type RemoveMemberInput = Input<typeof calls.removeMember>

export async function removeMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { memberIdOrEmail, organizationId, keys }: RemoveMemberInput,
): Promise<Output<typeof calls.removeMember>> {
  const { sql, config } = deps
  const organization = requireOrganizationId(caller, organizationId, 'NO_ACTIVE_ORGANIZATION')
  const wanted = readTarget(memberIdOrEmail)
  const concerned = { organizationId: organization, userId: caller.user.id, ...wanted, ownerRole: config.CREATOR_ROLE }
  const room = client.requireRoom(organization, 'member-removed', ...machineEvents)
  const settle = machineSettlerOf(deps, client, caller, keys)
  const { member, machines } = await transactionWithEvents(sql, room, async (tx) => {
    const chosen = checkRemoval(config, await lockMembers(tx, concerned), caller.user.id, wanted)
    const { target } = chosen
    const about = { userId: caller.user.id, memberUserId: target.userId, organizationId: organization }
    const settled = await settle(tx, chosen)
    const event = client.event(tx, 'member-removed', about)
    const left = await withCommit(tx, (last) => deleteMember(last, target.id, event))
    return { member: target, machines: settled + left }
  })
  return { member, machines }
}

/**
 * Decides what happens to the machines of a removed member, and returns how many there were. The caller's permission is
 * checked before anything is read.
 */
function machineSettlerOf({ config }: Deps, client: Client, caller: Caller, keys: RemoveMemberInput['keys']) {
  if (keys === 'adopt' && caller.key) throw new Failure('KEY_FORBIDDEN')
  const mayAdd = keys === 'adopt' ? requireFreshSession(caller) : null
  return async (tx: Tx<MachineEvent>, { actor, target }: ActorAndTarget): Promise<number> => {
    if (keys === undefined) return 0
    const standing = standingOf(actor)
    if (mayAdd === null) return revokeMachines(tx, client, target, { config, standing, caller })
    requireLiveSession(await holdSession(tx, caller))
    return adoptMachines(tx, client, target, { config, standing, mayAdd })
  }
}

/** Text with an `@` is an address: our ids contain none. Lower-cased, as addresses are stored. */
const readTarget = (text: string): MemberTarget =>
  text.includes('@') ? { memberId: null, email: text.toLowerCase() } : { memberId: text, email: null }

interface ActorAndTarget {
  readonly actor: LockedMember
  readonly target: LockedMember
  readonly isOnlyOwner: boolean
}

/** Finds actor and target among the locked members. The answer is the same whichever is missing. */
function chooseTarget(
  config: Config,
  members: readonly LockedMember[],
  actorId: string,
  { memberId, email }: MemberTarget,
): ActorAndTarget {
  const actor = members.find(({ userId }) => userId === actorId)
  const target = members.find((member) => member.id === memberId || member.user.email === email)
  if (!actor || !target) throw new Failure('MEMBER_NOT_FOUND')
  return { actor, target, isOnlyOwner: isOnlyOwner(config, members, target) }
}

/** Whether no other owner could act. One who is banned can do nothing for the organization. */
const isOnlyOwner = (config: Config, members: readonly LockedMember[], { id, role }: LockedMember): boolean =>
  isOwner(config, role) && !members.some((other) => other.id !== id && !other.isBanned && isOwner(config, other.role))

const standingOf = ({ role, ...standing }: LockedMember): MemberRoles => ({ ...standing, roles: role })

/**
 * Only owners remove owners, and never the last one. Anybody else needs the permission and every permission of the
 * removed member.
 */
export function checkRemoval(
  config: Config,
  members: readonly LockedMember[],
  actorId: string,
  wanted: MemberTarget,
): ActorAndTarget {
  const chosen = chooseTarget(config, members, actorId, wanted)
  const { actor, target, isOnlyOwner } = chosen
  const isBeyond = isOwner(config, target.role) && !actsAsOwner(config, standingOf(actor))
  if (isBeyond || isOnlyOwner) throw new Failure('ONLY_OWNER')
  requireAllowed(standingOf(actor), (as) => canRemoveMember(config, as, target.role), 'MEMBER_DELETE_FORBIDDEN')
  return chosen
}

export async function updateMemberRole(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { memberId, role: roles, organizationId }: Input<typeof calls.updateMemberRole>,
): Promise<Output<typeof calls.updateMemberRole>> {
  const organization = requireOrganizationId(caller, organizationId, 'NO_ACTIVE_ORGANIZATION')
  const target = { memberId, email: null }
  const concerned = { organizationId: organization, userId: caller.user.id, ...target, ownerRole: config.CREATOR_ROLE }
  const room = client.requireRoom(organization, 'role-changed')
  return transactionWithEvents(sql, room, async (tx) => {
    const members = await lockMembers(tx, concerned)
    const chosen = checkRoleChange(config, members, caller.user.id, { memberId, roles })
    requireRolesWithinScopes(config, chosen, caller.key, roles)
    const about = { userId: caller.user.id, memberUserId: chosen.userId, organizationId: organization }
    const change = { from: formatRoles(chosen.role), to: formatRoles(roles) }
    if (change.from === change.to) return chosen
    const event = client.event(tx, 'role-changed', { ...about, ...change })
    const member = await withCommit(tx, (last) => storeRoles(last, chosen.id, roles, event))
    if (!member) throw new Failure('MEMBER_NOT_FOUND')
    return member
  })
}

/**
 * Only owners change owners or make them, and a machine never becomes an owner. Nobody changes a member with more
 * permissions or grants more than they hold, and one owner remains.
 */
export function checkRoleChange(
  config: Config,
  members: readonly LockedMember[],
  actorId: string,
  { memberId, roles }: { readonly memberId: string; readonly roles: readonly string[] },
): LockedMember {
  const { actor, target, isOnlyOwner } = chooseTarget(config, members, actorId, { memberId, email: null })
  requireKnownRoles(config, actor, roles)
  const isMachineOwner = target.user.isMachine === true && isOwner(config, roles)
  const isEntitled = (as: MemberRoles) =>
    !isMachineOwner &&
    can(config, as, 'member:update') &&
    canManageMember(config, as, target.role) &&
    canGrantRoles(config, as, roles)
  requireAllowed(standingOf(actor), isEntitled, 'MEMBER_UPDATE_FORBIDDEN')
  if (isOnlyOwner && !roles.includes(config.CREATOR_ROLE)) throw new Failure('ONLY_OWNER')
  return target
}

export async function leaveOrganization(
  { sql, config }: Deps,
  client: Client,
  { user }: Caller,
  { organizationId }: Input<typeof calls.leave>,
): Promise<Output<typeof calls.leave>> {
  const concerned = { organizationId, userId: user.id, memberId: null, email: null, ownerRole: config.CREATOR_ROLE }
  const member = await transactionWithEvents(sql, client.requireRoom(organizationId, 'member-left'), async (tx) => {
    const members = await lockMembers(tx, concerned)
    const self = members.find(({ userId }) => userId === user.id)
    if (!self) throw new Failure('MEMBER_NOT_FOUND')
    if (isOnlyOwner(config, members, self)) throw new Failure('ONLY_OWNER')
    const event = client.event(tx, 'member-left', { userId: user.id, organizationId })
    await withCommit(tx, (last) => deleteMember(last, self.id, event))
    return self
  })
  return member
}

const failuresOfAdding = {
  'no-user': 'USER_NOT_FOUND',
  'already-member': 'ALREADY_A_MEMBER',
  'no-team': 'TEAM_NOT_FOUND',
  'team-full': 'TEAM_FULL',
  'user-full': 'ORGANIZATION_LIMIT_REACHED',
  full: 'MEMBERSHIP_LIMIT_REACHED',
} as const satisfies Record<string, FailureName>

/** For trusted servers: no role is checked. */
export async function addMember(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { userId, role: roles, organizationId: named, teamId }: Input<typeof AddMemberCall>,
): Promise<Output<typeof AddMemberCall>> {
  const { sql, config } = deps
  const organizationId = named ?? caller?.session.activeOrganizationId
  if (!organizationId) throw new Failure('NO_ACTIVE_ORGANIZATION')
  if (teamId !== undefined && !config.TEAMS) throw new Failure('TEAMS_OFF')
  const limits = { ...memberLimits(config), organizationLimit: await limitOf(deps, userId) }
  const about = { userId: caller?.user.id ?? null, memberUserId: userId, organizationId }
  const added = { id: newId(), organizationId, userId, roles, teamId: teamId ?? null, ...limits }
  return transactionWithEvents(sql, client.requireRoom(organizationId, 'member-added'), async (tx) => {
    const organization = await lockForJoining(tx, { organizationId }, userId)
    if (!organization) throw new Failure('ORGANIZATION_NOT_FOUND')
    requireKnownRoles(config, organization, roles)
    const event = client.event(tx, 'member-added', { ...about, role: formatRoles(roles) })
    const result = await withCommit(tx, (last) => insertMember(last, { ...added, event }))
    if (result.outcome !== 'done') throw new Failure(failuresOfAdding[result.outcome])
    return result.member
  })
}

/** The user is read only when the config file has a function for the limit, which needs more than the id. */
async function limitOf(deps: Deps, userId: string): Promise<number> {
  if (!deps.config.extensions.organizationLimit) return deps.config.ORGANIZATION_LIMIT
  const user = await findUser(deps.sql, userId)
  if (!user) throw new Failure('USER_NOT_FOUND')
  return organizationLimitOf(deps, user)
}

export async function getActiveMember({ sql }: Deps, caller: Caller): Promise<Output<typeof calls.getActiveMember>> {
  const organizationId = requireOrganizationId(caller, undefined, 'NO_ACTIVE_ORGANIZATION')
  const member = await inSharedTrip(sql, (one) => findMember(one, organizationId, caller.user.id))
  if (!member) throw new Failure('MEMBER_NOT_FOUND')
  return member
}

/** An outsider learns as little as from an unknown organization. */
export async function getActiveMemberRole(
  { sql }: Deps,
  { user, session }: Caller,
  { userId = user.id, organizationId, organizationSlug }: Input<typeof calls.getActiveMemberRole>,
): Promise<Output<typeof calls.getActiveMemberRole>> {
  const choice = { id: organizationId ?? session.activeOrganizationId, slug: organizationSlug?.toLowerCase() ?? null }
  if (choice.id === null && choice.slug === null) throw new Failure('NO_ACTIVE_ORGANIZATION')
  const found = await inSharedTrip(sql, (one) => findRolesOfMember(one, choice, user.id, userId))
  if (!found) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return { role: found.roles }
}
