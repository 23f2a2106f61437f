import type { banUser as BanCall, unbanUser as UnbanCall } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { banUser as ban, unbanUser as unban } from '../../db/managed-users.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { actOn } from './act.ts'

const right = { permission: 'user:ban', failure: 'USER_BAN_FORBIDDEN' } as const

/** Sessions, sign-ins under way and reset links end with the ban; afterwards every way in is closed. */
export async function banUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, banReason, banExpiresIn }: Input<typeof BanCall>,
): Promise<Output<typeof BanCall>> {
  const { config, revocations } = deps
  const seconds = banExpiresIn ?? config.DEFAULT_BAN_EXPIRES_IN ?? null
  const room = client.requireRoom(null, 'user-banned')
  const { ended, user } = await actOn(deps, caller, { ...right, userId, room }, async (tx, target, actor) => {
    if (target.id === actor.id) throw new Failure('SELF_BAN')
    const banned = await ban(tx, userId, { reason: banReason ?? config.DEFAULT_BAN_REASON, seconds })
    await record(tx, client, 'user-banned', { userId: actor.id, targetUserId: userId, seconds })
    return banned
  })
  revocations.add(ended)
  return { user }
}

/** Every way in is open again; who was signed in signs in anew. Of who is not banned nothing changes, and nothing is told. */
export async function unbanUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof UnbanCall>,
): Promise<Output<typeof UnbanCall>> {
  const room = client.requireRoom(null, 'user-unbanned')
  const unbanned = await actOn(deps, caller, { ...right, userId, room }, async (tx, target, actor) => {
    if (!target.banned) return { ...target, banned: false }
    const { user } = await unban(tx, userId)
    await record(tx, client, 'user-unbanned', { userId: actor.id, targetUserId: userId })
    return user
  })
  return { user: unbanned }
}
