import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import { startSession } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { markOf } from '../known-device.ts'
import { prepareSession } from '../session/start.ts'
import { type Guessed, withPassword } from './with-password.ts'

type SignIn = { answer: Output<typeof Call>; issued: IssuedSession }

/** Two statements: count and find, then everything that the proven password changes. The hash is checked between them. */
export async function signIn(deps: Deps, client: Client, input: Input<typeof Call>): Promise<SignIn> {
  const start = (found: Guessed) => enter(deps, client, input, found)
  const { user, entered: issued } = await withPassword(deps, client, input, start)
  return { answer: answerOf(input, issued, user), issued }
}

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
  const ended = await tellWhenKept((act) => {
    const event = client.event(act, 'sign-in-done', { userId })
    return startSession(sql, { ...proven, session, limit: config.SESSION_LIMIT, event })
  })
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
