import type * as calls from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import { newId } from '../../crypto/id.ts'
import { findActorAndTarget } from '../../db/admins.ts'
import { inOneTrip, withCommit } from '../../db/connect.ts'
import { deletionLocks, requireAllLocked, deleteUser as write } from '../../db/delete-user.ts'
import {
  type Ban,
  banUser as ban,
  insertManagedUser,
  type ManagedUser,
  replacePassword,
  setRoles,
  unbanUser as unban,
} from '../../db/managed-users.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Caller, Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { requireStorableDate } from '../../request/storable-date.ts'
import { checkPassword } from '../account/password-rules.ts'
import { finishRecorded } from '../audit/record.ts'
import { runAfterHook, runBeforeHook } from '../hooks.ts'
import { countersOfProvenMailbox } from '../limits.ts'
import { createAlert } from '../mails.ts'
import { announceEndings, runAfterEndings, runBeforeEndings } from '../organization/endings.ts'
import {
  hasEveryPermissionOf,
  isGranted,
  isPrivileged,
  type PlatformPerson,
  platformPersonOf,
  requireKnownRoles,
  requirePlatformPermission,
} from './permission.ts'
import {
  lockAndFind,
  requireActor,
  requireHuman,
  requireTarget,
  withAdminRight,
  withAdminRightOver,
} from './with-admin-right.ts'

const banRight = { permission: 'user:ban', failure: 'USER_BAN_FORBIDDEN' } as const

/** The ban ends the user's sessions, pending sign-ins and mailed links. Afterwards every way to sign in is refused. */
export async function banUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, banReason, banExpiresIn }: Input<typeof calls.banUser>,
): Promise<Output<typeof calls.banUser>> {
  const { config, revocations } = deps
  const seconds = banExpiresIn ?? config.DEFAULT_BAN_EXPIRES_IN ?? null
  const room = client.requireRoom(null, 'user-banned')
  const { ended, user } = await withAdminRightOver(
    deps,
    caller,
    { ...banRight, userId, room },
    async (tx, target, actor) => {
      if (target.id === actor.id) throw new Failure('SELF_BAN')
      const event = client.event(tx, 'user-banned', { userId: actor.id, targetUserId: userId, seconds })
      const reason = banReason ?? config.DEFAULT_BAN_REASON
      return finishRecorded(tx, event, (sql) => ban(sql, userId, { reason, seconds }))
    },
  )
  revocations.add(ended)
  return { user }
}

/**
 * Allows the user to sign in again; old sessions stay ended. Changes and records nothing for a user who is not banned.
 */
export async function unbanUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof calls.unbanUser>,
): Promise<Output<typeof calls.unbanUser>> {
  const room = client.requireRoom(null, 'user-unbanned')
  const unbanned = await withAdminRightOver(deps, caller, { ...banRight, userId, room }, async (tx, target, actor) => {
    if (!target.banned) return { ...target, banned: false }
    const event = client.event(tx, 'user-unbanned', { userId: actor.id, targetUserId: userId })
    return finishRecorded(tx, event, (sql) => unban(sql, userId))
  })
  return { user: unbanned }
}

type Ask = Input<typeof calls.createUser>

/** The hash is made outside any transaction. */
export async function createUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  ask: Ask,
): Promise<Output<typeof calls.createUser>> {
  const right = { permission: 'user:create', failure: 'USER_CREATE_FORBIDDEN' } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const room = client.requireRoom(null, 'user-created')
  const draft = draftOf(deps, ask)
  requireRights(deps, platformPersonOf(caller), draft)
  const password = ask.password === undefined ? null : await deps.passwords.hash(ask.password, queueSenderOf(client))
  const user = await withAdminRight(deps, caller, { ...right, room }, async (tx, actor) => {
    requireRights(deps, actor, draft)
    const role = formatRoles(draft.roles)
    const event = client.event(tx, 'user-created', { userId: actor.id, targetUserId: draft.id, role })
    const made = await withCommit(tx, (last) => insertManagedUser(last, { ...draft, password }, event))
    if (!made) throw new Failure('USER_EXISTS_ALREADY')
    return made
  })
  return { user }
}

type Draft = Omit<ManagedUser, 'password'>

function draftOf({ config }: Deps, { email, name, password, role, data }: Ask): Draft {
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const roles = role ?? data.role ?? [config.DEFAULT_ROLE]
  requireKnownRoles(config, roles)
  if (password !== undefined) checkPassword(config, password, [email, name])
  return {
    id: newId(),
    accountId: newId(),
    email: canonicalEmail(email),
    name,
    image: data.image ?? null,
    language: data.language ?? null,
    provenAddress: data.emailVerified ? ProvenAddress.statedByAdmin(canonicalEmail(email)) : null,
    roles,
    fields: data.fields,
    ban: banOf(data),
  }
}

const banOf = ({ banned, banReason, banExpires }: Ask['data']): Ban | null =>
  banned
    ? {
        reason: banReason ?? null,
        until: banExpires ? requireStorableDate(banExpires, 'INVALID_BODY', ['data', 'banExpires']) : null,
      }
    : null

/**
 * Everything beyond a plain user needs its own permission. An address that counts as proven is as powerful as a role,
 * because ADMIN_EMAILS may name it.
 */
function requireRights({ config }: Deps, actor: PlatformPerson, { id, provenAddress, roles, ban }: Draft): void {
  const isUsual = roles.length === 1 && roles[0] === config.DEFAULT_ROLE && provenAddress === null
  const mayGive =
    isGranted(config, actor, 'user:set-role') && hasEveryPermissionOf(config, actor, { id, provenAddress, role: roles })
  if (!isUsual && !mayGive) throw new Failure('USER_ROLE_FORBIDDEN')
  if (ban && !isGranted(config, actor, 'user:ban')) throw new Failure('USER_BAN_FORBIDDEN')
}

const removeUserRight = { permission: 'user:delete', failure: 'USER_DELETE_FORBIDDEN' } as const

/** Applies the rules for deleting one's own account: no organization with other members is left without an owner. */
export async function removeUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof calls.removeUser>,
): Promise<Output<typeof calls.removeUser>> {
  requirePlatformPermission(deps, caller, removeUserRight.permission, removeUserRight.failure)
  if (userId === caller.user.id) throw new Failure('SELF_REMOVAL')
  const { beforeDeleteUser, afterDeleteUser, beforeDeleteOrganization } = deps.config.extensions
  const involved = { sessionId: caller.session.id, userId }
  // Only the application's hooks need the user before the locks.
  if (beforeDeleteUser || beforeDeleteOrganization) {
    const { target } = await findActorAndTarget(deps.sql, involved)
    await runBeforeHook(beforeDeleteUser, requireTarget(deps, platformPersonOf(caller), target, removeUserRight))
  }
  const allowed = await runBeforeEndings(deps, { userId, by: caller.user })
  const session = { id: caller.session.id, userId }
  const deletion = { session, identifier: null, ownerRole: deps.config.CREATOR_ROLE }
  const { user, ended, organizations } = await transactionWithEvents(
    deps.sql,
    client.requireRoom(null, 'user-removed', 'organization-deleted'),
    async (tx) => {
      const [, { actor, target }, ...locked] = await inOneTrip(tx, ...lockAndFind(involved), ...deletionLocks(userId))
      const known = requireTarget(deps, requireActor(deps, actor, removeUserRight), target, removeUserRight)
      const endings = announceEndings(client, tx, allowed, requireAllLocked(locked))
      const event = client.event(tx, 'user-removed', { userId: caller.user.id, targetUserId: userId })
      const deleted = await withCommit(tx, (last) => write(last, { ...deletion, event, endings }))
      if (deleted.outcome === 'only-owner') throw new Failure('ONLY_OWNER')
      if (deleted.outcome !== 'done') throw new Failure('NO_SUCH_USER')
      return { ...deleted, user: known }
    },
  )
  deps.revocations.add(ended)
  await runAfterEndings(deps, allowed, organizations)
  await runAfterHook(deps, afterDeleteUser, user)
  return { success: true, ...(organizations.length > 0 ? { organizations } : {}) }
}

/** Nobody grants a role beyond their own permissions, or removes from themselves the right to grant it back. */
export async function setRole(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, role }: Input<typeof calls.setRole>,
): Promise<Output<typeof calls.setRole>> {
  const { config, revocations } = deps
  const right = { permission: 'user:set-role', failure: 'USER_ROLE_FORBIDDEN', userId } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  requireKnownRoles(config, role)
  const room = client.requireRoom(null, 'user-role-changed')
  const { user, ended } = await withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requireHuman(target)
    const after = { ...target, role }
    if (!hasEveryPermissionOf(config, actor, after)) throw new Failure('USER_ROLE_FORBIDDEN')
    if (target.id === actor.id && !hasEveryPermissionOf(config, after, target)) throw new Failure('SELF_DEMOTION')
    const [from, to] = [formatRoles(target.role ?? []), formatRoles(role)]
    if (from === to) return { user: target, ended: [] }
    const effects = {
      endsActing: !isGranted(config, after, 'user:impersonate'),
      endsActedAs: isPrivileged(config, after),
    }
    const event = client.event(tx, 'user-role-changed', { userId: actor.id, targetUserId: userId, from, to })
    return finishRecorded(tx, event, (sql) => setRoles(sql, userId, role, effects))
  })
  revocations.add(ended)
  return { user }
}

/** Works whether or not the user had a password. Ends all sessions and tells the user by mail. */
export async function setUserPassword(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, newPassword }: Input<typeof calls.setUserPassword>,
): Promise<Output<typeof calls.setUserPassword>> {
  const right = { permission: 'user:set-password', failure: 'USER_PASSWORD_FORBIDDEN', userId } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const room = client.requireRoom(null, 'user-password-set')
  checkPassword(deps.config, newPassword)
  const password = await deps.passwords.hash(newPassword, queueSenderOf(client))
  const { ended } = await withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requireHuman(target)
    const { email } = target
    checkPassword(deps.config, newPassword, [email, target.name])
    const [proof, notice] = [
      countersOfProvenMailbox(deps, email),
      createAlert(deps, { kind: 'password-changed', to: email }),
    ]
    const replacement = { userId, accountId: newId(), password, proof, notice }
    const event = client.event(tx, 'user-password-set', { userId: actor.id, targetUserId: userId })
    return finishRecorded(tx, event, (sql) => replacePassword(sql, replacement))
  })
  deps.revocations.add(ended)
  deps.outbox.nudge()
  return { status: true }
}
