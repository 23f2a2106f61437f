import type { Input, Output } from '../../../shared/contract/call.ts'
import type { unlockUser as UnlockCall, viewUser as ViewCall } from '../../../shared/contract/support.ts'
import type { FullUser, User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { SupportedUser } from '../../../shared/support.ts'
import { findActorAndTarget } from '../../db/admins.ts'
import { inOneTrip, withCommit } from '../../db/connect.ts'
import type { Limit } from '../../db/limits.ts'
import {
  clearLimits,
  lastSignIn,
  listDevices,
  listMailsTo,
  listOwnKeys,
  listReachedLimits,
  listWaysIn,
} from '../../db/supported-user.ts'
import type { Deps } from '../../deps.ts'
import { addLateFacts, withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { isAllowedOnPlatform, requirePlatformPermission } from '../admin/permission.ts'
import { withAdminRightOver } from '../admin/with-admin-right.ts'
import { limitsOfPasswordTries, limitsOfUser } from '../limits.ts'
import { limitsOfMailsTo } from '../mails.ts'

/** Reads everything in one trip. Lists that need a right of their own are left out without it. */
export async function viewUser(
  deps: Deps,
  caller: Caller,
  { userId }: Input<typeof ViewCall>,
): Promise<Output<typeof ViewCall>> {
  requirePlatformPermission(deps, caller, 'user:list', 'USER_VIEW_FORBIDDEN')
  const { target } = await findActorAndTarget(deps.sql, { sessionId: caller.session.id, userId })
  if (!target) throw new Failure('NO_SUCH_USER')
  return supportedUser(deps, caller, target)
}

async function supportedUser(deps: Deps, caller: Caller, user: FullUser): Promise<SupportedUser> {
  const { config, sql } = deps
  const limits = limitsOfAccount(deps, user)
  const [waysIn, [signIn], reached, sessions, keys, mails] = await inOneTrip(
    sql,
    (one) => listWaysIn(one, user.id),
    (one) => lastSignIn(one, user.id),
    (one) => listReachedLimits(one, limits),
    (one) => listDevices(one, user.id),
    (one) => listOwnKeys(one, user.id),
    (one) => listMailsTo(one, user.id),
  )
  return {
    user,
    waysIn: [...waysIn],
    lastSignInAt: signIn?.at ?? null,
    limits: reached,
    sessions: isAllowedOnPlatform(config, caller, 'session:list') ? [...sessions] : null,
    keys: [...keys],
    mails: isAllowedOnPlatform(config, caller, 'mail:list') ? [...mails] : null,
  }
}

/** Strangers who try passwords can lock an account, and mails that were asked for can use up its share. */
export async function unlockUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof UnlockCall>,
): Promise<Output<typeof UnlockCall>> {
  const right = { permission: 'user:unlock', failure: 'USER_UNLOCK_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'user-unlocked')
  return withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    const event = client.event(tx, 'user-unlocked', { userId: actor.id, targetUserId: userId, count: 0 })
    const cleared = await withCommit(tx, (last) => clearLimits(last, limitsOfAccount(deps, target), event))
    if (cleared.count > 0) addLateFacts(event, { count: cleared.count })
    else withdrawEvent(event)
    return { user: target, limits: [...new Set(cleared.reached.map(({ limit }) => limit))] }
  })
}

/**
 * The limits that can hold one account back, in the order in which they are counted. Those of a device that is known to
 * the account are not among them: only that device has their name.
 */
const limitsOfAccount = (deps: Deps, { id, email }: Pick<User, 'id' | 'email'>): readonly Limit[] => [
  ...limitsOfPasswordTries(deps, email),
  ...limitsOfUser(deps, id),
  ...limitsOfMailsTo(deps, email),
]
