import type { signInEmail as SignInEmailCall } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import { signInWithPassword as write } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { type Admission, admit, withoutEndedBan } from '../../request/admission.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { deviceMarkOf, refundIfUnchecked, refundIfUndone } from '../limits.ts'
import { refuseUnverified, refuseWrongCredentials } from './unverified.ts'
import {
  type Attempt,
  consumePasswordAttempt,
  reloadAttempt,
  runAttempt,
  type VerifiedPassword,
  verifyPassword,
} from './verify-password.ts'

type SignInInput = Input<typeof SignInEmailCall>
type SignInResult = { answer: Output<typeof SignInEmailCall>; issued: IssuedSession }

/**
 * Two statements: one counts the attempt and finds the user, the other applies everything that follows the proven
 * password. The hash is checked between them.
 */
export async function signIn(deps: Deps, client: Client, input: SignInInput): Promise<SignInResult> {
  const { user, given: issued } = await signInWithPassword(deps, client, input, (passed) =>
    beginSession(deps, client, input, passed),
  )
  return { answer: answerOf(input, issued, user), issued }
}

/** The user whose password was verified and who passed the admission check. */
type AdmittedUser = Extract<Admission, { kind: 'admitted' }> & { readonly proof: VerifiedPassword }

/** Produces the result of the sign-in. Null when the user or the password changed meanwhile; nothing was done then. */
type GrantSignIn<T> = (passed: AdmittedUser) => Promise<T | null>

type PasswordOutcome<T> =
  | { readonly kind: 'done'; readonly user: FullUser; readonly given: T }
  | { readonly kind: 'wrong-password' | 'banned' | 'changed-meanwhile' }
  | { readonly kind: 'unverified'; readonly proof: VerifiedPassword }

/**
 * Counts the attempt, finds the user, checks the hash and the admission rules, and then runs `give`. A refused attempt
 * stays counted and is recorded even when its answer cannot be made: the password was checked.
 */
export async function signInWithPassword<T>(deps: Deps, client: Client, input: SignInInput, give: GrantSignIn<T>) {
  const attempt = await consumePasswordAttempt(deps, client, input)
  return runAttempt(deps, client, attempt, async (decide) => {
    const outcome = await tryPassword(deps, client, attempt, { remembered: input.rememberMe, give })
    switch (outcome.kind) {
      case 'done':
        return outcome
      case 'wrong-password':
        decide('WRONG_EMAIL_OR_PASSWORD')
        return refuseWrongPassword(deps, client, attempt)
      case 'unverified':
        decide('EMAIL_NOT_VERIFIED')
        return refuseUnverified(deps, client, outcome.proof, input)
      case 'banned':
        throw new Failure('BANNED_USER')
      case 'changed-meanwhile':
        throw new Failure('SESSION_NOT_CREATED_AT_SIGN_IN')
    }
  })
}

async function tryPassword<T>(
  deps: Deps,
  client: Client,
  attempt: Attempt,
  wish: { readonly remembered: boolean | undefined; readonly give: GrantSignIn<T> },
): Promise<PasswordOutcome<T>> {
  const proof = await verifyPassword(deps, client, attempt)
  if (!proof) return { kind: 'wrong-password' }
  const admission = admit(deps, client, proof, wish)
  if (admission.kind !== 'admitted') return { kind: admission.kind, proof }
  const given = await refundIfUndone(deps, proof.counters, () => wish.give({ ...admission, proof }))
  if (given !== null) return { kind: 'done', user: withoutEndedBan(proof.user), given }
  const again = await refundIfUnchecked(deps, proof.counters, () => reloadAttempt(deps, attempt))
  return again ? tryPassword(deps, client, again, wish) : { kind: 'changed-meanwhile' }
}

function refuseWrongPassword(deps: Deps, client: Client, attempt: Attempt): Promise<never> {
  if (deps.config.REQUIRE_EMAIL_VERIFICATION) return refuseWrongCredentials(deps, client, attempt)
  throw new Failure('WRONG_EMAIL_OR_PASSWORD')
}

/** Begins the session. Stores a new hash when the old one was made with a cheaper cost than today's. */
async function beginSession(
  deps: Deps,
  client: Client,
  { password }: SignInInput,
  { proof, admitted, issued }: AdmittedUser,
): Promise<IssuedSession | null> {
  const { sql, passwords, revocations } = deps
  const { user, hash, counters } = proof
  const rehash = passwords.isOutdated(hash) ? await passwords.hash(password, queueSenderOf(client)) : null
  const ended = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'sign-in-done', { userId: user.id })
    return write(sql, { userId: user.id, hash, admitted, counters, rehash, event })
  }, isRowFound)
  if (!ended) return null
  revocations.add(ended)
  return { ...issued, mark: deviceMarkOf(deps, client, user.email, rehash ?? hash) }
}

const answerOf = (
  { callbackURL }: SignInInput,
  { token }: IssuedSession,
  user: FullUser,
): Output<typeof SignInEmailCall> => ({
  redirect: Boolean(callbackURL),
  token,
  user,
  ...(callbackURL ? { url: callbackURL } : {}),
})
