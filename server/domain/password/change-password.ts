import type { Input, Output } from '../../../shared/contract/call.ts'
import type { changePassword as Call } from '../../../shared/contract/password.ts'
import { Failure } from '../../../shared/failure.ts'
import { lockPassword, changePassword as write } from '../../db/passwords.ts'
import { toldTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { requireAdmission } from '../../request/admission.ts'
import { learn, withdraw } from '../../request/audit-event.ts'
import type { Client, IssuedSession, ResolvedSession } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'
import { verifyOwnPassword } from '../account/verify-password.ts'
import { markOf } from '../known-device.ts'
import { alertOf } from '../mailed-link.ts'

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
  const proof = await verifyOwnPassword(deps, client, caller, currentPassword)
  // The same machine goes on.
  const wishes = { remembered: resolved.remembered, label: caller.session.label }
  const passed = revokeOtherSessions ? requireAdmission(deps, client, proof, wishes) : null
  const change = {
    userId: user.id,
    sessionId: caller.session.id,
    from: proof.hash,
    to: await passwords.hash(newPassword, queueSenderOf(client)),
    counters: proof.counters,
    admitted: passed?.admitted ?? null,
    notice: alertOf(deps, { kind: 'password-changed', to: user.email }),
  }
  const room = client.requireRoom(null, 'password-changed', 'sessions-revoked')
  const changed = await toldTransaction(sql, room, async (tx) => {
    await lockPassword(tx, user.id)
    const event = client.event(tx, 'password-changed', { userId: user.id })
    const endedEvent = client.event(tx, 'sessions-revoked', { userId: user.id, count: 0 })
    const written = await write(tx, { ...change, event, endedEvent })
    if (!written) throw new Failure('WRONG_PASSWORD')
    if (passed) learn(endedEvent, { count: written.ended.length })
    else withdraw(endedEvent)
    return written
  })
  revocations.add(changed.ended)
  outbox.nudge()
  const mark = markOf(deps, client, user.email, change.to)
  return { answer: { token: passed?.issued.token ?? null, user: changed.user }, issued: passed?.issued ?? null, mark }
}
