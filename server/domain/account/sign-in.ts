import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { maxCheckedLength } from '../../crypto/password.ts'
import type { CountersToSettle } from '../../db/limits.ts'
import { type Credential, findCredential, startSession } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { markOf } from '../known-device.ts'
import { countGuess, whileChecked } from '../limits.ts'
import { prepareSession } from '../session/start.ts'
import { codePoints } from './password-rules.ts'
import { proveVerified } from './prove-verified.ts'

type SignIn = { answer: Output<typeof Call>; issued: IssuedSession }
/** With the counters that the right password settles. */
type Guessed = Credential & { readonly proof: CountersToSettle }

/** Two statements: count and find, then everything that the proven password changes. The hash is checked between them. */
export async function signIn(deps: Deps, client: Client, input: Input<typeof Call>): Promise<SignIn> {
  if (!deps.config.EMAIL_PASSWORD) throw new Failure('EMAIL_PASSWORD_OFF')
  if (!isEmail(input.email)) throw new Failure('INVALID_EMAIL')
  const email = canonicalEmail(input.email)
  const guess = { call: 'sign-in', client, email }
  const found = await countGuess(deps, guess, (limits) => findCredential(deps.sql, email, limits))
  const enter = () => enterOnce(deps, client, input, found)
  return whileChecked(deps, found.proof, enter).catch((error: unknown) => tell(client, found, error))
}

async function enterOnce(deps: Deps, client: Client, input: Input<typeof Call>, found: Guessed): Promise<SignIn> {
  const user = deps.config.REQUIRE_EMAIL_VERIFICATION
    ? await proveVerified(deps, client, found, input)
    : await provePassword(deps, client, found, input.password)
  const issued = (await enter(deps, client, input, found)) ?? (await enterAgain(deps, client, input, found))
  client.note('sign-in-done', { userId: user.id })
  return { answer: answerOf(input, issued, user), issued }
}

/** Logs a refusal with the user whom it concerned; an outage is no failed sign-in. */
function tell(client: Client, { user }: Credential, error: unknown): never {
  if (error instanceof Failure && error.failure !== 'SERVICE_UNAVAILABLE')
    client.note('sign-in-failed', { userId: user?.id ?? null, reason: error.failure })
  throw error
}

/** When the stored hash was replaced meanwhile, by a reset or another sign-in, the password has to fit the new one. */
async function enterAgain(
  deps: Deps,
  client: Client,
  input: Input<typeof Call>,
  before: Guessed,
): Promise<IssuedSession> {
  const found = { ...(await findCredential(deps.sql, canonicalEmail(input.email), [])), proof: before.proof }
  const isSame = found.user?.id === before.user?.id && !found.isBanned
  const isReplaced = isSame && found.password !== before.password
  if (isReplaced) await provePassword(deps, client, found, input.password)
  const issued = isReplaced ? await enter(deps, client, input, found) : null
  if (!issued) throw new Failure('SESSION_NOT_CREATED_AT_SIGN_IN')
  return issued
}

/** Same answer and same work for an unknown user, no password and a wrong one, so sign-in cannot list users. */
async function provePassword(
  { passwords }: Deps,
  client: Client,
  found: Credential,
  password: string,
): Promise<FullUser> {
  if (codePoints(password) > maxCheckedLength) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  const isProven = await passwords.verify(found.password, password, queueSenderOf(client))
  if (!isProven || !found.user) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  if (found.isBanned) throw new Failure('BANNED_USER')
  return found.user
}

/** Null when the user was banned or deleted meanwhile, or the password was changed. */
async function enter(
  deps: Deps,
  client: Client,
  { password, rememberMe }: Input<typeof Call>,
  found: Guessed,
): Promise<IssuedSession | null> {
  const { sql, config, passwords, revocations } = deps
  if (!found.user || found.password === null) return null
  const { id: userId, email } = found.user
  const [session, issued] = prepareSession(deps, client, rememberMe)
  const rehash = passwords.isOutdated(found.password) ? await passwords.hash(password, queueSenderOf(client)) : null
  const proven = { userId, password: found.password, proof: found.proof, rehash }
  const ended = await startSession(sql, { ...proven, session, limit: config.SESSION_LIMIT })
  if (!ended) return null
  revocations.add(ended)
  return { ...issued, mark: markOf(deps, client, email, rehash ?? found.password) }
}

const answerOf = (
  { callbackURL }: Input<typeof Call>,
  { token }: IssuedSession,
  user: FullUser,
): Output<typeof Call> => ({
  redirect: Boolean(callbackURL),
  token,
  user,
  ...(callbackURL ? { url: callbackURL } : {}),
})
