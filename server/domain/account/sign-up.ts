import { v7 as uuid } from 'uuid'
import type { signUpEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { createUser, isEmailTaken, type NewUser } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client, Issued } from '../../request.ts'
import { addressLimits, refuseIfCounted } from '../limits.ts'
import { prepareSession } from '../session/start.ts'
import { checkPassword } from './password-rules.ts'

type SignUp = { answer: Output<typeof Call>; issued: Issued | null }

/** Two statements: count and look, then user, account and session at once. The hash is made between them, outside any. */
export async function signUp(deps: Deps, client: Client, input: Input<typeof Call>): Promise<SignUp> {
  const { config, sql, passwords, revocations } = deps
  const email = checkSignUp(deps, input)
  const { refusedFor, isTaken } = await isEmailTaken(sql, email, addressLimits(deps, 'sign-up', client))
  refuseIfCounted(refusedFor)
  if (isTaken) throw new Failure('USER_EXISTS')
  const password = await passwords.hash(input.password)
  const [session, issued] = config.AUTO_SIGN_IN ? prepareSession(deps, client) : [null, null]
  const created = await createUser(sql, newUser(input, email, password), session)
  if (!created) throw new Failure('USER_EXISTS')
  revocations.add(created.ended)
  return { answer: { token: issued?.token ?? null, user: created.user }, issued }
}

function checkSignUp({ config }: Deps, { email, password }: Input<typeof Call>): string {
  if (!config.EMAIL_PASSWORD || !config.SIGN_UP) throw new Failure('SIGN_UP_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  checkPassword(config, password)
  return canonicalEmail(email)
}

const newUser = ({ name, image }: Input<typeof Call>, email: string, password: string): NewUser => ({
  id: uuid(),
  accountId: uuid(),
  email,
  name,
  image: image ?? null,
  password,
})
