import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/password.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { newId } from '../../crypto/id.ts'
import { createResetToken } from '../../crypto/token.ts'
import { inLastTrip, type Sql } from '../../db/connect.ts'
import {
  findNameAndEmail,
  findResetTokenUser,
  lockPassword,
  lockResetTokenUser,
  resetPassword as write,
  changePassword as writeChange,
  setPassword as writeFirst,
} from '../../db/passwords.ts'
import { logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import { isVerificationLive } from '../../db/verifications.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { requireAdmission } from '../../request/admission.ts'
import { addLateFacts, withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client, IssuedSession, ResolvedSession } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'
import { type VerifiedOwnPassword, withOwnPassword } from '../account/verify-password.ts'
import { runAfterHook } from '../hooks.ts'
import {
  countersOfProvenMailbox,
  deviceMarkOf,
  mailCallLimits,
  newDeviceMark,
  passwordCallLimits,
  refuseBeyondLimit,
} from '../limits.ts'
import { createAlert, linkIdentifierOf, requestedMailLimits, signInMethodNamesOf, tokenLink } from '../mails.ts'
import { requestMailedLink } from '../response-floor.ts'

/** `mark`: lets the user sign in next on this device while strangers may still be guessing. */
type ResetPassword = { answer: Output<typeof calls.resetPassword>; mark: string | null }

/**
 * Counts the attempt and looks the token up, then consumes it with all changes in one transaction. The hash is made
 * before the transaction. A refused password does not use up the token.
 */
export async function resetPassword(
  deps: Deps,
  client: Client,
  { newPassword, token }: Input<typeof calls.resetPassword>,
): Promise<ResetPassword> {
  if (!token) throw new Failure('RESET_TOKEN_INVALID')
  return resetByLink(deps, client, { newPassword, identifier: linkIdentifierOf['reset-password'](token) })
}

/** Resets by the row of any mailed token that proves the mailbox. */
export async function resetByLink(
  deps: Deps,
  client: Client,
  { newPassword, identifier }: { readonly newPassword: string; readonly identifier: string },
): Promise<ResetPassword> {
  const { config, sql, passwords, revocations, outbox } = deps
  // Where passwords sign nobody in, a new one would only remove the unproven ways in that do.
  if (!config.EMAIL_PASSWORD) throw new Failure('RESET_PASSWORD_OFF')
  checkPassword(config, newPassword)
  const { refusedFor, email, name, unproven } = await findResetTokenUser(
    sql,
    identifier,
    passwordCallLimits(deps, 'reset-password', client),
  )
  refuseBeyondLimit(refusedFor)
  if (email === null) throw new Failure('RESET_TOKEN_INVALID')
  checkPassword(config, newPassword, [email, name ?? ''])
  const password = await passwords.hash(newPassword, queueSenderOf(client))
  const ended = signInMethodNamesOf(unproven)
  const notice = createAlert(deps, { kind: 'password-changed', to: email, ended })
  const proof = countersOfProvenMailbox(deps, email)
  const room = client.requireRoom(null, 'password-reset-done', 'sessions-revoked')
  const reset = await transactionWithEvents(sql, room, async (tx) => {
    const event = client.event(tx, 'password-reset-done', { userId: null })
    const endedEvent = client.event(tx, 'sessions-revoked', { userId: null, count: 0 })
    const change = { identifier, accountId: newId(), password, proof, notice, event, endedEvent }
    const [, done] = await inLastTrip(
      tx,
      (one) => lockResetTokenUser(one, identifier),
      (one) => write(one, change),
    )
    if (!done) throw new Failure('RESET_TOKEN_INVALID')
    addLateFacts(event, { userId: done.user.id })
    addLateFacts(endedEvent, { userId: done.user.id, count: done.ended.length })
    return done
  })
  revocations.add(reset.ended)
  outbox.nudge()
  await runAfterHook(deps, config.extensions.afterResetPassword, reset.user)
  return { answer: { status: true }, mark: newDeviceMark(deps, email, password) }
}

/** Known and unknown addresses take one statement, the same answer and the same time. */
export async function forgetPassword(
  deps: Deps,
  client: Client,
  { email, redirectTo }: Input<typeof calls.forgetPassword>,
): Promise<Output<typeof calls.forgetPassword>> {
  if (!deps.config.RESET_PASSWORD || !deps.config.EMAIL_PASSWORD) throw new Failure('RESET_PASSWORD_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  const to = canonicalEmail(email)
  const payload = {
    kind: 'reset-password',
    to,
    token: createResetToken(),
    callbackURL: redirectTo || undefined,
  } as const
  const link = tokenLink(deps, client, requestedMailLimits(deps, client, payload.kind, to), payload)
  const limits = mailCallLimits(deps, 'forget-password', client)
  await requestMailedLink(deps, client, 'password-reset-asked', { email: to, limits, link, onlyUnverified: false })
  return { status: true, message: 'If this email exists in our system, check your email for the reset link' }
}

/** The absolute address that a reset link leads to. The token is not consumed, so a mail scanner does no harm. */
export async function openResetLink({ config, sql }: Deps, token: string, callbackURL: string): Promise<string> {
  const base = new URL(`${config.BASE_PATH}/error`, config.BASE_URL)
  const target = callbackURL === '' ? base : new URL(callbackURL, config.BASE_URL)
  const isLive = callbackURL !== '' && (await isVerificationLive(sql, linkIdentifierOf['reset-password'](token)))
  if (isLive) target.searchParams.set('token', token)
  else target.searchParams.set('error', 'INVALID_TOKEN')
  return target.href
}

type ChangePassword = { answer: Output<typeof calls.changePassword>; issued: IssuedSession | null; mark: string | null }

/** Counts the attempt and reads the hash. Then writes the new hash if the old one is unchanged, in one transaction. */
export async function changePassword(
  deps: Deps,
  client: Client,
  resolved: ResolvedSession,
  input: Input<typeof calls.changePassword>,
): Promise<ChangePassword> {
  const { caller } = resolved
  checkPassword(deps.config, input.newPassword, [caller.user.email, caller.user.name])
  return withOwnPassword(deps, client, { caller, password: input.currentPassword }, (proof) =>
    replacePassword(deps, client, resolved, { ...input, proof }),
  )
}

async function replacePassword(
  deps: Deps,
  client: Client,
  { caller, remembered }: ResolvedSession,
  { newPassword, revokeOtherSessions, proof }: Input<typeof calls.changePassword> & { proof: VerifiedOwnPassword },
): Promise<ChangePassword> {
  const { sql, passwords, revocations, outbox } = deps
  const { user } = caller
  // The new session keeps what belongs to the same machine.
  const wishes = { remembered, label: caller.session.label }
  const passed = revokeOtherSessions ? requireAdmission(deps, client, proof, wishes) : null
  const change = {
    userId: user.id,
    sessionId: caller.session.id,
    from: proof.hash,
    to: await passwords.hash(newPassword, queueSenderOf(client)),
    counters: proof.counters,
    admitted: passed?.admitted ?? null,
    notice: createAlert(deps, { kind: 'password-changed', to: user.email }),
  }
  const room = client.requireRoom(null, 'password-changed', 'sessions-revoked')
  const changed = await transactionWithEvents(sql, room, async (tx) => {
    const event = client.event(tx, 'password-changed', { userId: user.id })
    const endedEvent = client.event(tx, 'sessions-revoked', { userId: user.id, count: 0 })
    const replace = (one: Sql) => writeChange(one, { ...change, event, endedEvent })
    const [, written] = await inLastTrip(tx, (one) => lockPassword(one, user.id), replace)
    if (!written) throw new Failure('WRONG_PASSWORD')
    if (passed) addLateFacts(endedEvent, { count: written.ended.length })
    else withdrawEvent(endedEvent)
    return written
  })
  revocations.add(changed.ended)
  outbox.nudge()
  const mark = deviceMarkOf(deps, client, user.email, change.to)
  return { answer: { token: passed?.issued.token ?? null, user: changed.user }, issued: passed?.issued ?? null, mark }
}

/** For trusted servers: sets a first password for the named user, or for the user of the session in the request. */
export async function setPassword(
  { config, sql, passwords }: Deps,
  client: Client,
  caller: Caller | null,
  { newPassword, userId = caller?.user.id }: Input<typeof calls.setPassword>,
): Promise<Output<typeof calls.setPassword>> {
  checkPassword(config, newPassword)
  const user = userId === undefined ? null : await findNameAndEmail(sql, userId)
  if (!user) throw new Failure('USER_NOT_FOUND')
  checkPassword(config, newPassword, [user.email, user.name])
  const password = await passwords.hash(newPassword)
  const { outcome } = await logEventsOnceCommitted(
    (act) => {
      const event = client.event(act, 'password-set', { userId: user.id })
      return writeFirst(sql, { userId: user.id, accountId: newId(), password, event })
    },
    (done) => done.outcome === 'done',
  )
  if (outcome !== 'done') throw new Failure(outcome === 'no-user' ? 'USER_NOT_FOUND' : 'PASSWORD_ALREADY_SET')
  return { status: true }
}
