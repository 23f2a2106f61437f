import type { signInEmail as Call } from '../../../shared/contract/account.ts'
import type { Input } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { CountersToSettle } from '../../db/limits.ts'
import { type Credential, findCredential } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { recordRefusal } from '../audit/record.ts'
import { countGuess, whileChecked } from '../limits.ts'
import { fitsPassword } from './fits-password.ts'
import { proveVerified } from './prove-verified.ts'

/** With the counters that the right password settles. */
export type Guessed = Credential & { readonly proof: CountersToSettle }

/** What the proven password is for; null when the user was banned or deleted meanwhile, or the password was changed. */
type Enter<T> = (found: Guessed) => Promise<T | null>

interface Entered<T> {
  readonly user: FullUser
  readonly entered: T
}

/** Counts and finds, checks the hash, and then does what the proven password is for: nowhere else is one signed in by it. */
export const withPassword = <T>(deps: Deps, client: Client, input: Input<typeof Call>, enter: Enter<T>) =>
  withProven(deps, client, input, { prove: deps.config.REQUIRE_EMAIL_VERIFICATION ? proveVerified : proveOwn, enter })

/** The same for what needs no verified address, since it verifies one. Signs nobody in. */
export const withOwnPassword = <T>(deps: Deps, client: Client, input: Input<typeof Call>, enter: Enter<T>) =>
  withProven(deps, client, input, { prove: proveOwn, enter })

interface Steps<T> {
  readonly prove: typeof proveVerified
  readonly enter: Enter<T>
}

async function withProven<T>(
  deps: Deps,
  client: Client,
  input: Input<typeof Call>,
  { prove, enter }: Steps<T>,
): Promise<Entered<T>> {
  if (!deps.config.EMAIL_PASSWORD) throw new Failure('EMAIL_PASSWORD_OFF')
  if (!isEmail(input.email)) throw new Failure('INVALID_EMAIL')
  const email = canonicalEmail(input.email)
  const guess = { call: 'sign-in', client, email }
  const found = await countGuess(deps, guess, (limits) => findCredential(deps.sql, email, limits))
  const enterOnce = async () => {
    const user = await prove(deps, client, found, input)
    return { user, entered: (await enter(found)) ?? (await enterAgain(deps, client, { input, before: found, enter })) }
  }
  return whileChecked(deps, found.proof, enterOnce).catch((error: unknown) => tell(deps, client, found, error))
}

const proveOwn: typeof proveVerified = (deps, client, found, { password }) =>
  provePassword(deps, client, found, password)

/** Tells a refusal with the user whom it concerned; an outage is no failed sign-in. The same work for an unknown address. */
async function tell(deps: Deps, client: Client, { user }: Credential, error: unknown): Promise<never> {
  if (error instanceof Failure && error.failure !== 'SERVICE_UNAVAILABLE')
    await recordRefusal(deps, client, 'sign-in-failed', { userId: user?.id ?? null, reason: error.failure })
  throw error
}

interface Again<T> {
  readonly input: Input<typeof Call>
  readonly before: Guessed
  readonly enter: Enter<T>
}

/** When the stored hash was replaced meanwhile, by a reset or another sign-in, the password has to fit the new one. */
async function enterAgain<T>(deps: Deps, client: Client, { input, before, enter }: Again<T>): Promise<T> {
  const found = { ...(await findCredential(deps.sql, canonicalEmail(input.email), [])), proof: before.proof }
  const isSame = found.user?.id === before.user?.id && !found.isBanned
  const isReplaced = isSame && found.password !== before.password
  if (isReplaced) await provePassword(deps, client, found, input.password)
  const entered = isReplaced ? await enter(found) : null
  if (entered === null) throw new Failure('SESSION_NOT_CREATED_AT_SIGN_IN')
  return entered
}

/** Same answer and same work for an unknown user, no password and a wrong one, so sign-in cannot list users. */
async function provePassword(deps: Deps, client: Client, found: Credential, password: string): Promise<FullUser> {
  const isProven = await fitsPassword(deps, client, found, password)
  if (!isProven || !found.user) throw new Failure('WRONG_EMAIL_OR_PASSWORD')
  if (found.isBanned) throw new Failure('BANNED_USER')
  return found.user
}
