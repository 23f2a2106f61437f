import { v7 as uuid } from 'uuid'
import type { signUpEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import { shareOf } from '../../address.ts'
import { storeNotice } from '../../db/links.ts'
import { createUser, isEmailTaken, type NewUser } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import type { Client, Issued } from '../../request.ts'
import { addressLimits, refuseIfCounted } from '../limits.ts'
import { noticeOf, verificationLink } from '../mailed-link.ts'
import { prepareSession } from '../session/start.ts'
import { checkPassword } from './password-rules.ts'

type SignUp = { answer: Output<typeof Call>; issued: Issued | null }

/** Two statements: count and look, then user, account and session at once. The hash is made between them, outside any. */
export async function signUp(deps: Deps, client: Client, input: Input<typeof Call>): Promise<SignUp> {
  const isOpen = !deps.config.REQUIRE_EMAIL_VERIFICATION
  const email = checkSignUp(deps, input)
  const { refusedFor, isTaken } = await isEmailTaken(deps.sql, email, addressLimits(deps, 'sign-up', client))
  refuseIfCounted(refusedFor)
  if (isTaken && isOpen) throw new Failure('USER_EXISTS')
  const user = newUser(input, email, await deps.passwords.hash(input.password, shareOf(client)))
  const made = isTaken ? null : await create(deps, client, user, input.callbackURL)
  if (!made && isOpen) throw new Failure('USER_EXISTS')
  return made ?? tellOwner(deps, client, user)
}

/** Null when somebody else took the address meanwhile. */
async function create(deps: Deps, client: Client, user: NewUser, callbackURL?: string): Promise<SignUp | null> {
  const { config, sql, revocations, mailbox } = deps
  const isSignedIn = config.AUTO_SIGN_IN && !config.REQUIRE_EMAIL_VERIFICATION
  const [session, issued] = isSignedIn ? prepareSession(deps, client) : [null, null]
  const created = await createUser(sql, user, session, welcomeLink(deps, client, user.email, callbackURL))
  if (!created) return null
  revocations.add(created.ended)
  mailbox.nudge()
  return { answer: { token: issued?.token ?? null, user: created.user }, issued }
}

const welcomeLink = (deps: Deps, client: Client, email: string, callbackURL?: string) =>
  deps.config.VERIFICATION_EMAIL && deps.config.SEND_VERIFICATION_ON_SIGN_UP
    ? verificationLink(deps, client, email, callbackURL || undefined)
    : null

/** Answers exactly as for a new account, so that nobody learns which addresses are taken; their owner gets a mail. */
async function tellOwner(deps: Deps, client: Client, { id, email, name, image }: NewUser): Promise<SignUp> {
  await storeNotice(deps.sql, email, noticeOf(deps, client, { kind: 'sign-up-again', to: email }))
  deps.mailbox.nudge()
  const now = deps.now()
  const user = { id, email, name, image, emailVerified: false, createdAt: now, updatedAt: now }
  return { answer: { token: null, user }, issued: null }
}

function checkSignUp({ config }: Deps, { email, name, password }: Input<typeof Call>): string {
  if (!config.EMAIL_PASSWORD || !config.SIGN_UP) throw new Failure('SIGN_UP_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  checkPassword(config, password, [email, name])
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
