import { v7 as uuid } from 'uuid'
import type { setUserPassword as Call } from '../../../shared/contract/admin.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { replacePassword } from '../../db/managed-users.ts'
import { findNamed } from '../../db/passwords.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Caller, Client } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'
import { record } from '../audit/record.ts'
import { mailboxProof } from '../limits.ts'
import { alertOf } from '../mailed-link.ts'
import { actOn, requirePerson } from './act.ts'
import { requirePlatformPermission } from './permission.ts'

/** Whether or not the user had one. All sessions end, and the user is told by mail. */
export async function setUserPassword(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, newPassword }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const right = { permission: 'user:set-password', failure: 'USER_PASSWORD_FORBIDDEN', userId } as const
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const room = client.requireRoom(null, 'user-password-set')
  checkPassword(deps.config, newPassword)
  const named = await findNamed(deps.sql, userId)
  if (!named) throw new Failure('NO_SUCH_USER')
  checkPassword(deps.config, newPassword, [named.email, named.name])
  const password = await deps.passwords.hash(newPassword, queueSenderOf(client))
  const { ended } = await actOn(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requirePerson(target)
    const { email } = target
    const [proof, notice] = [mailboxProof(deps, email), alertOf(deps, { kind: 'password-changed', to: email })]
    const changed = await replacePassword(tx, { userId, accountId: uuid(), password, proof, notice })
    await record(tx, client, 'user-password-set', { userId: actor.id, targetUserId: userId })
    return changed
  })
  deps.revocations.add(ended)
  deps.outbox.nudge()
  return { status: true }
}
