import type { signUpEmail as Call } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Language } from '../../../shared/languages.ts'
import { newId } from '../../crypto/id.ts'
import { storeSignUpAttempt } from '../../db/links.ts'
import { alwaysDone, isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import { createUser, isEmailTaken, type NewUser } from '../../db/users.ts'
import type { Deps } from '../../deps.ts'
import { languageToKeep } from '../../languages/words.ts'
import { queueSenderOf } from '../../limits/ip-address.ts'
import { admit, SessionProof } from '../../request/admission.ts'
import { addLateFacts } from '../../request/audit-event.ts'
import type { Client, IssuedSession } from '../../request/client.ts'
import { recordRefusal } from '../audit/record.ts'
import { deviceMarkOf, passwordCallLimits, refuseBeyondLimit } from '../limits.ts'
import { createNotice, logWithheldMail, signUpMailLimits, welcomeLink } from '../mails.ts'
import { checkPassword } from './password-rules.ts'
import { createSignUpAttempt } from './unverified.ts'

type SignUpInput = Omit<Input<typeof Call>, 'language'> & { readonly language: Language | null }
type SignUpResult = { answer: Output<typeof Call>; issued: IssuedSession | null }

/**
 * Two statements: one counts and looks the address up, the other creates user, account and session together. The hash
 * is made between them, outside any transaction.
 */
export async function signUp(deps: Deps, client: Client, asked: Input<typeof Call>): Promise<SignUpResult> {
  const input = { ...asked, language: asked.language ?? languageToKeep(deps.config, client) }
  const isOpen = !deps.config.REQUIRE_EMAIL_VERIFICATION
  const email = checkSignUp(deps, input)
  const look = () => isEmailTaken(deps.sql, email, passwordCallLimits(deps, 'sign-up', client))
  const { refusedFor, isTaken } = await deps.passwords.prepare(queueSenderOf(client), look)
  refuseBeyondLimit(refusedFor)
  if (isTaken && isOpen) return refuse(deps, client)
  const made = isTaken ? null : await create(deps, client, email, input)
  if (!made && isOpen) return refuse(deps, client)
  return made ?? notifyOwner(deps, client, email, input)
}

async function refuse(deps: Deps, client: Client): Promise<never> {
  await recordRefusal(deps, client, 'sign-up-failed', { userId: null, reason: 'USER_EXISTS' })
  throw new Failure('USER_EXISTS')
}

/** A user created by the same statement that begins the session. */
class NewAccount extends SessionProof {
  constructor(id: string) {
    super('sign-up', { id, isBanned: false, emailVerified: false })
  }
}

/** Null when the user is not signed in at once: AUTO_SIGN_IN is off, or the address has to be verified first. */
function admitNew(deps: Deps, client: Client, id: string) {
  const admission = deps.config.AUTO_SIGN_IN ? admit(deps, client, new NewAccount(id)) : null
  return admission?.kind === 'admitted' ? admission : null
}

/** Null when somebody else took the address meanwhile. */
async function create(deps: Deps, client: Client, email: string, input: SignUpInput): Promise<SignUpResult | null> {
  const { sql, passwords, revocations, outbox } = deps
  const user = newUser(deps, input, email, await passwords.hash(input.password, queueSenderOf(client)))
  const passed = admitNew(deps, client, user.id)
  const link = welcomeLink(deps, client, email, input.callbackURL)
  const created = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'sign-up-done', { userId: user.id })
    return createUser(sql, { ...user, event }, passed?.admitted ?? null, link)
  }, isRowFound)
  if (!created) return null
  revocations.add(created.ended)
  logWithheldMail(deps, 'verify-email', created.withheldBy)
  outbox.nudge()
  if (!passed) client.keepSignUp(user.accountId)
  const issued = passed && { ...passed.issued, mark: deviceMarkOf(deps, client, user.email, user.password) }
  return { answer: { token: issued?.token ?? null, user: created.user }, issued }
}

/**
 * Answers exactly as for a new account, so that nobody learns which addresses are taken. The owner of the address gets
 * a mail.
 */
async function notifyOwner(
  deps: Deps,
  client: Client,
  email: string,
  { name, image, language, password, fields }: SignUpInput,
): Promise<SignUpResult> {
  const notice = createNotice(deps, client, signUpMailLimits(deps, client, email), { kind: 'sign-up-again', to: email })
  const claim = await createSignUpAttempt(deps, client, email, password)
  client.keepSignUp(newId())
  // Made before the statement, whose time it is compared with, as a new user's is.
  const id = newId()
  const { withheldBy, now } = await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, 'sign-up-failed', { userId: null, reason: 'USER_EXISTS' })
    const found = await storeSignUpAttempt(deps.sql, email, notice, { ...claim, event })
    addLateFacts(event, { userId: found?.id ?? null })
    return { withheldBy: found?.withheldBy ?? null, now: found?.now ?? deps.now() }
  }, alwaysDone)
  logWithheldMail(deps, notice.mail.kind, withheldBy)
  deps.outbox.nudge()
  const times = { createdAt: now, updatedAt: now }
  const standing = {
    emailVerified: false,
    language,
    role: [deps.config.DEFAULT_ROLE],
    banned: null,
    banReason: null,
    banExpires: null,
  }
  const user = { id, email, name, image: image ?? null, fields, ...standing, ...times }
  return { answer: { token: null, user }, issued: null }
}

function checkSignUp({ config }: Deps, { email, name, password }: SignUpInput): string {
  if (!config.EMAIL_PASSWORD || !config.SIGN_UP) throw new Failure('SIGN_UP_OFF')
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  checkPassword(config, password, [email, name])
  return canonicalEmail(email)
}

const newUser = (
  { config }: Deps,
  { name, image, language, fields }: SignUpInput,
  email: string,
  password: string,
): Omit<NewUser, 'event'> => ({
  id: newId(),
  accountId: newId(),
  email,
  name,
  image: image ?? null,
  language,
  roles: [config.DEFAULT_ROLE],
  fields,
  password,
})
