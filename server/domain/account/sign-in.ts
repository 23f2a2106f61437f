import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { shareOf } from '../../address.ts'
import { longestChecked } from '../../crypto/password.ts'
import { storeLink } from '../../db/links.ts'
import { type Credential, findCredential, startSession } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client, Issued } from '../../request.ts'
import { accountKeys, refuseIfCounted, secretLimits } from '../limits.ts'
import { verificationLink } from '../mailed-link.ts'
import { prepareSession } from '../session/start.ts'
import { codePoints } from './password-rules.ts'

type SignIn = { answer: Output<typeof Call>; issued: Issued }

/** Two statements: count and find, then everything that the proven password changes. The hash is checked between them. */
export async function signIn(deps: Deps, client: Client, input: Input<typeof Call>): Promise<SignIn> {
  if (!deps.config.EMAIL_PASSWORD) throw new Failure('EMAIL_PASSWORD_OFF')
  if (!isEmail(input.email)) throw new Failure('INVALID_EMAIL')
  const email = canonicalEmail(input.email)
  const found = await findCredential(deps.sql, email, secretLimits(deps, 'sign-in', client, email))
  refuseIfCounted(found.refusedFor)
  const user = await provePassword(deps, client, found, input.password)
  if (deps.config.REQUIRE_EMAIL_VERIFICATION && !user.emailVerified) await refuseUnverified(deps, client, user, input)
  const issued = (await enter(deps, client, input, found)) ?? (await enterAgain(deps, client, input, found))
  return { answer: answerOf(input, issued, user), issued }
}

/** When the stored hash was replaced meanwhile, by a reset or by another sign-in, the password has to fit the new one. */
async function enterAgain(deps: Deps, client: Client, input: Input<typeof Call>, before: Credential): Promise<Issued> {
  const found = await findCredential(deps.sql, canonicalEmail(input.email), [])
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
  if (codePoints(password) > longestChecked) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  const isProven = await passwords.verify(found.password, password, shareOf(client))
  if (!isProven || !found.user) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  if (found.isBanned) throw new Failure('BANNED_USER')
  return found.user
}

/** Only after a correct password: the address is told nothing that its owner does not know. A new mail goes out. */
async function refuseUnverified(deps: Deps, client: Client, user: FullUser, { callbackURL }: Input<typeof Call>) {
  const link = verificationLink(deps, client, user.email, callbackURL || undefined)
  await storeLink(deps.sql, user.id, link, accountKeys(deps, user.email))
  deps.mailbox.nudge()
  throw new Failure('EMAIL_NOT_VERIFIED')
}

/** Null when the user may not enter any more, or the password is another one. */
async function enter(
  deps: Deps,
  client: Client,
  { password, rememberMe }: Input<typeof Call>,
  found: Credential,
): Promise<Issued | null> {
  const { sql, config, passwords, revocations } = deps
  if (!found.user || found.password === null) return null
  const { id: userId, email } = found.user
  const [session, issued] = prepareSession(deps, client, rememberMe)
  const rehash = passwords.isOutdated(found.password) ? await passwords.hash(password, shareOf(client)) : null
  const proven = { userId, password: found.password, cleared: accountKeys(deps, email), rehash }
  const ended = await startSession(sql, { ...proven, session, limit: config.SESSION_LIMIT })
  if (!ended) return null
  revocations.add(ended)
  return issued
}

const answerOf = ({ callbackURL }: Input<typeof Call>, { token }: Issued, user: FullUser): Output<typeof Call> => ({
  redirect: Boolean(callbackURL),
  token,
  user,
  ...(callbackURL ? { url: callbackURL } : {}),
})
