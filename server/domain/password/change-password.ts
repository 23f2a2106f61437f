import type { Input, Output } from '../../../shared/contract/call.ts'
import type { changePassword as Call } from '../../../shared/contract/password.ts'
import { Failure } from '../../../shared/failure.ts'
import { lockPassword, changePassword as write } from '../../db/passwords.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client, IssuedSession, ResolvedSession } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'
import { markOf } from '../known-device.ts'
import { alertOf } from '../mailed-link.ts'
import { prepareSession } from '../session/start.ts'
import { provePassword } from './prove-password.ts'

type ChangePassword = { answer: Output<typeof Call>; issued: IssuedSession | null; mark: string | null }

/** Counts and reads the hash, then writes the new one if the old is still the same, in one transaction. */
export async function changePassword(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession,
  { newPassword, currentPassword, revokeOtherSessions }: Input<typeof Call>,
): Promise<ChangePassword> {
  const { config, sql, passwords, revocations, outbox } = deps
  const { caller } = resolved
  const { user } = caller
  checkPassword(config, newPassword, [user.email, user.name])
  const { stored: from, proof } = await provePassword(deps, client, caller, currentPassword)
  const [session, issued] = revokeOtherSessions ? renewedSession(deps, client, resolved) : [null, null]
  const change = {
    userId: user.id,
    sessionId: caller.session.id,
    from,
    to: await passwords.hash(newPassword, queueSenderOf(client)),
    proof,
    session,
    notice: alertOf(deps, { kind: 'password-changed', to: user.email }),
    event: client.event('password-changed', { userId: user.id }),
    endedEvent: client.event('sessions-revoked', { userId: user.id, count: 0 }),
  }
  const changed = await transaction(sql, async (tx) => {
    await lockPassword(tx, user.id)
    return write(tx, change)
  })
  if (!changed) throw new Failure('WRONG_PASSWORD')
  revocations.add(changed.ended)
  outbox.nudge()
  client.note(change.event)
  if (session) client.note(change.endedEvent, { count: changed.ended.length })
  const mark = markOf(deps, client, user.email, change.to)
  return { answer: { token: issued?.token ?? null, user: changed.user }, issued, mark }
}

/** The same machine goes on. */
function renewedSession(
  deps: Deps,
  client: Client,
  { caller, remembered }: ResolvedSession,
): ReturnType<typeof prepareSession> {
  const [session, issued] = prepareSession(deps, client, remembered)
  return [{ ...session, label: caller.session.label }, issued]
}
