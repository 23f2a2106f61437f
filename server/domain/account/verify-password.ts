import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { maxCheckedLength } from '../../crypto/password.ts'
import type { CountersToSettle, Limit } from '../../db/limits.ts'
import { findOwnPassword } from '../../db/passwords.ts'
import { type Credential, findCredential } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { SessionProof } from '../../request/admission.ts'
import type { Caller, Client } from '../../request/client.ts'
import { recordRefusal } from '../audit/record.ts'
import { consumeAttempt, refundIfUnchecked, refundIfUndone } from '../limits.ts'
import { codePoints } from './password-rules.ts'

/** A counted attempt to prove a password, with the user of its address. */
export interface Attempt {
  readonly email: string
  readonly password: string
  readonly found: Credential
  /** The counters that the right password clears or gives back. */
  readonly counters: CountersToSettle
  /** Whether this is the second attempt, against a hash that replaced the first one meanwhile. */
  readonly isRepeated: boolean
}

/** A user whose password was verified. Only `verifyPassword` creates one. */
class VerifiedPassword extends SessionProof {
  readonly user: FullUser
  readonly accountId: string
  /** The stored hash. */
  readonly hash: string
  readonly counters: CountersToSettle

  constructor(
    user: FullUser,
    credential: { accountId: string; hash: string; counters: CountersToSettle },
    isBanned: boolean,
  ) {
    super('password', { id: user.id, isBanned, emailVerified: user.emailVerified })
    this.user = user
    this.accountId = credential.accountId
    this.hash = credential.hash
    this.counters = credential.counters
  }
}

export type { VerifiedPassword }

/**
 * Counts an attempt and finds the user in one statement, before anything is hashed. Counts nothing when there is no
 * place to hash.
 */
export async function consumePasswordAttempt(
  deps: Deps,
  client: Client,
  { email: typed, password }: { readonly email: string; readonly password: string },
): Promise<Attempt> {
  if (!deps.config.EMAIL_PASSWORD) throw new Failure('EMAIL_PASSWORD_OFF')
  if (!isEmail(typed)) throw new Failure('INVALID_EMAIL')
  const email = canonicalEmail(typed)
  const look = (limits: readonly Limit[]) => findCredential(deps.sql, email, limits)
  const { counters, ...found } = await deps.passwords.prepare(queueSenderOf(client), () =>
    consumeAttempt(deps, { call: 'sign-in', client, email }, look),
  )
  return { email, password, found, counters, isRepeated: false }
}

/**
 * The verified user, or null when the password does not fit. Unknown users, users without a password and wrong
 * passwords cost the same work, so sign-in cannot be used to list users.
 */
export async function verifyPassword(
  deps: Deps,
  client: Client,
  { password, found: { user, password: hash, accountId, isBanned }, counters }: Attempt,
): Promise<VerifiedPassword | null> {
  if (codePoints(password) > maxCheckedLength) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  const sender = { network: queueSenderOf(client), userId: user?.id }
  const isRight = await refundIfUnchecked(deps, counters, () => deps.passwords.verify(hash, password, sender))
  if (!isRight || !user || hash === null || accountId === null) return null
  return new VerifiedPassword(user, { accountId, hash, counters }, isBanned)
}

/**
 * Reads the attempt again when a reset or another sign-in replaced the hash meanwhile. At most once; null when the hash
 * is unchanged.
 */
export async function reloadAttempt({ sql }: Deps, attempt: Attempt): Promise<Attempt | null> {
  if (attempt.isRepeated) return null
  const { user, password } = attempt.found
  const found = await findCredential(sql, attempt.email, [])
  return found.user?.id === user?.id && found.password !== password ? { ...attempt, found, isRepeated: true } : null
}

/**
 * Runs the work of an attempt, and records a refusal with the user concerned. Overload or an outage is not recorded as
 * a failed sign-in, unless the work has said before that the attempt is refused, and why.
 */
export function runAttempt<T>(
  deps: Deps,
  client: Client,
  { found }: Attempt,
  work: (decide: (reason: FailureName) => void) => Promise<T>,
): Promise<T> {
  const decided = new Set<FailureName>()
  return work((reason) => decided.add(reason)).catch(async (error: unknown) => {
    if (!(error instanceof Failure)) throw error
    const [reason] = error.failure === 'SERVICE_UNAVAILABLE' ? decided : [error.failure]
    if (reason) await recordRefusal(deps, client, 'sign-in-failed', { userId: found.user?.id ?? null, reason })
    throw error
  })
}

/** The verified password of a signed-in user, which allows a new session. Only `withOwnPassword` creates one. */
class VerifiedOwnPassword extends SessionProof {
  /** The stored hash. */
  readonly hash: string
  readonly counters: CountersToSettle

  constructor({ id, emailVerified }: Caller['user'], hash: string, counters: CountersToSettle) {
    super('renewed-session', { id, isBanned: false, emailVerified })
    this.hash = hash
    this.counters = counters
  }
}

export type { VerifiedOwnPassword }

interface OwnPassword {
  readonly caller: Caller
  readonly password: string
}

/**
 * Checks the caller's own password, counted like a sign-in, and runs the work that it allows. The work settles the
 * counters of the proof in its last statement. When it fails instead, the right password does not stay counted.
 */
export async function withOwnPassword<T>(
  deps: Deps,
  client: Client,
  claim: OwnPassword,
  work: (proof: VerifiedOwnPassword) => Promise<T>,
): Promise<T> {
  const proof = await verifyOwnPassword(deps, client, claim)
  return refundIfUndone(deps, proof.counters, () => work(proof))
}

async function verifyOwnPassword(
  deps: Deps,
  client: Client,
  { caller: { user }, password }: OwnPassword,
): Promise<VerifiedOwnPassword> {
  const asked = { call: 'password', client, email: user.email }
  const look = (limits: readonly Limit[]) => findOwnPassword(deps.sql, user.id, limits)
  const sender = { network: queueSenderOf(client), userId: user.id }
  const count = () => consumeAttempt(deps, asked, look)
  const { password: hash, counters } = await deps.passwords.prepare(sender.network, count)
  if (hash === null) throw new Failure('CREDENTIAL_ACCOUNT_NOT_FOUND')
  const verify = () => deps.passwords.verify(hash, password, sender)
  const isRight = codePoints(password) <= maxCheckedLength && (await refundIfUnchecked(deps, counters, verify))
  if (isRight) return new VerifiedOwnPassword(user, hash, counters)
  await recordRefusal(deps, client, 'password-proof-failed', { userId: user.id, reason: 'WRONG_PASSWORD' })
  throw new Failure('WRONG_PASSWORD')
}
