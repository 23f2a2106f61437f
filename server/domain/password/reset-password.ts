import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { resetPassword as Call } from '../../../shared/contract/password.ts'
import { Failure } from '../../../shared/failure.ts'
import { findResetOwner, lockResetOwner, resetPassword as write } from '../../db/passwords.ts'
import { toldTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { learn } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'
import { runAfter } from '../hooks.ts'
import { newMarkOf } from '../known-device.ts'
import { addressLimits, mailboxProof, refuseIfCounted } from '../limits.ts'
import { alertOf, identifierOf } from '../mailed-link.ts'
import { wayNamesOf } from '../social/way-names.ts'

/** With a mark: the user signs in next on this device, while strangers may still be guessing. */
type ResetPassword = { answer: Output<typeof Call>; mark: string | null }

/**
 * Counts and looks at the token, then consumes it with all that it changes, in one transaction. The hash is made
 * before the transaction. A password that is refused does not use the token up.
 */
export async function resetPassword(
  deps: Deps,
  client: Client,
  { newPassword, token }: Input<typeof Call>,
): Promise<ResetPassword> {
  if (!token) throw new Failure('RESET_TOKEN_INVALID')
  return resetByLink(deps, client, { newPassword, identifier: identifierOf['reset-password'](token) })
}

/** By the row of any mailed token that proves the mailbox. */
export async function resetByLink(
  deps: Deps,
  client: Client,
  { newPassword, identifier }: { readonly newPassword: string; readonly identifier: string },
): Promise<ResetPassword> {
  const { config, sql, passwords, revocations, outbox } = deps
  checkPassword(config, newPassword)
  const { refusedFor, email, name, unproven } = await findResetOwner(
    sql,
    identifier,
    addressLimits(deps, 'reset-password', client),
  )
  refuseIfCounted(refusedFor)
  if (email === null) throw new Failure('RESET_TOKEN_INVALID')
  checkPassword(config, newPassword, [email, name ?? ''])
  const password = await passwords.hash(newPassword, queueSenderOf(client))
  const notice = alertOf(deps, { kind: 'password-changed', to: email, ended: wayNamesOf(deps, unproven) })
  const proof = mailboxProof(deps, email)
  const room = client.requireRoom(null, 'password-reset-done', 'sessions-revoked')
  const reset = await toldTransaction(sql, room, async (tx) => {
    await lockResetOwner(tx, identifier)
    const event = client.event(tx, 'password-reset-done', { userId: null })
    const endedEvent = client.event(tx, 'sessions-revoked', { userId: null, count: 0 })
    const done = await write(tx, { identifier, accountId: uuid(), password, proof, notice, event, endedEvent })
    if (!done) throw new Failure('RESET_TOKEN_INVALID')
    learn(event, { userId: done.user.id })
    learn(endedEvent, { userId: done.user.id, count: done.ended.length })
    return done
  })
  revocations.add(reset.ended)
  outbox.nudge()
  await runAfter(deps, config.extensions.afterResetPassword, reset.user)
  return { answer: { status: true }, mark: newMarkOf(deps, email, password) }
}
