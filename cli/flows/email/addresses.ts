import { canonicalEmail } from '../../../shared/email.ts'
import type { FullUser, User } from '../../../shared/entities.ts'
import { type AccountRef, accountRefOf } from '../../accounts/accounts.ts'
import type { FieldType } from '../../output/json.ts'
import { emailField, linkArgument, serverField } from '../account/fields.ts'
import { type CurrentUser, isAddressProven, signedInUser } from '../account/me.ts'
import { fullUserFields, type ShownUser, toShownUser } from '../account/users.ts'
import { signIn } from '../auth/sign-in.ts'
import { type Flow, type FlowResult, type NoFields, noSubject } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { formOf } from '../form.ts'
import { claimsIn, openLink, tokenIn } from '../mailed-links/mailed-link.ts'

/** The result for an address that is verified or still has to be. */
interface Verification {
  readonly email: string
  readonly emailVerified: boolean
  /** Whether this machine is signed in afterwards. */
  readonly signedIn: boolean
}

const verificationFields = {
  email: 'text',
  emailVerified: 'flag',
  signedIn: 'flag',
} as const satisfies Record<keyof Verification, FieldType>

const fields = { link: { ...linkArgument, purpose: 'verify' }, server: serverField } as const

export const verifyEmail: Flow<undefined, typeof fields, unknown, Verification> = {
  command: 'account email verify',
  summary: 'Verify an address or confirm its change with the link from a mail; or request that mail',
  title: 'Verify or change an address with a link',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/verify-email',
  answer: verificationFields,
  examples: ['"http://localhost:4100/api/auth/verify-email?token=eyJhbGciOi…"', '- < link.txt', '--send'],
  run: async (context, _, values) => {
    const { server } = await context.asNobody(values.server)
    const token = await tokenIn(values.link, 'verify', server)
    const { email, isChange } = await claimsIn(token)
    const mailed = { account: accountRefOf(server, email), server, token }
    return isChange ? change(context, mailed) : verify(context, mailed)
  },
}

interface MailedLink {
  /** The recipient of the mail. */
  readonly account: AccountRef
  readonly server: string
  readonly token: string
}

/** The answer can bring a session, which is stored for the account of the link, whichever account is current. */
async function verify(context: FlowContext, { account, server, token }: MailedLink): Promise<FlowResult<Verification>> {
  const byToken = await speaksByToken(context)
  const before = await keptFor(context, account)
  const { api } = byToken ? await context.signedIn() : await context.asAccount(account, server)
  await openLink(() => api.email.verifyEmail({ token }), 'postern account email verify --send')
  const isNew = before === undefined && (await keptFor(context, account)) !== undefined
  if (!isNew) return verified(account, server, byToken || before !== undefined)
  await context.accounts.choose(account)
  const done = verified(account, server, true)
  return { ...done, sentence: `${done.sentence}, and signed in with it`, leadsHome: true }
}

/** Needs a session of the mail's recipient. The new address is verified by a separate mail. */
async function change(
  context: FlowContext,
  { account, server: mailedFrom, token }: MailedLink,
): Promise<FlowResult<Verification>> {
  const kept = await keptFor(context, account)
  const { api, server } = await ownConnection(context, kept)
  const { user } = await openLink(() => api.email.verifyEmail({ token }), 'postern account email set NEW')
  if (!user) return verified(account, mailedFrom, true)
  // If addresses have to be verified, the new one is asked to confirm before it replaces the old one.
  if (user.email === account.email) return changeConfirmed(user, server)
  if (kept) await context.accounts.rename(kept, user.email)
  const done = { sentence: `The address is now ${user.email}`, status: 'updated', resource: resourceOf(user) } as const
  return user.emailVerified ? done : { ...done, ...nextByMail(server, 'Verify it with the link in the mail to it') }
}

const ownConnection = (context: FlowContext, kept: AccountRef | undefined): Promise<FlowConnection> =>
  kept ? context.asAccount(kept) : context.signedIn()

/** With a token from the environment, nothing is stored. */
const keptFor = async (context: FlowContext, account: AccountRef): Promise<AccountRef | undefined> =>
  (await speaksByToken(context)) ? undefined : context.accounts.find(account)

const speaksByToken = async ({ current, isSignedIn }: FlowContext): Promise<boolean> =>
  (await current()) === undefined && isSignedIn()

function verified({ email }: AccountRef, server: string, signedIn: boolean): FlowResult<Verification> {
  const resource = { email, emailVerified: true, signedIn }
  const done = { sentence: `Verified ${email}`, status: 'updated', resource } as const
  if (signedIn) return done
  const next = formOf(signIn, { subjects: [undefined], given: { server, email } })
  return { ...done, next, nextWords: 'Sign in' }
}

const changeConfirmed = (user: User, server: string): FlowResult<Verification> => ({
  sentence: `${user.email} confirmed the change; it stays the address until the link in the mail to the new one is opened`,
  status: 'planned',
  resource: resourceOf(user),
  ...nextByMail(server, 'Open that link'),
})

const resourceOf = ({ email, emailVerified }: User): Verification => ({ email, emailVerified, signedIn: true })

/** The next step after a mail was sent. */
export const nextByMail = (server: string, nextWords: string): Pick<FlowResult, 'next' | 'nextWords'> => ({
  next: formOf(verifyEmail, { subjects: [undefined], given: { server } }),
  nextWords,
})

const mailVerificationFields = {
  email: { ...emailField, summary: 'with --send: the address; default: your own' },
  server: serverField,
} as const

/** Sends to any address, without a session. */
export const mailVerification: Flow<undefined, typeof mailVerificationFields, unknown, Verification> = {
  command: 'account email verify --send',
  summary: 'Request a mail with a link that verifies an address',
  title: 'Mail a link to verify an address',
  isForAnyone: true,
  subject: noSubject,
  fields: mailVerificationFields,
  call: '/send-verification-email',
  answer: verificationFields,
  examples: ['--send --email alice@example.com'],
  run: async (context, _, values) => {
    const email = canonicalEmail(values.email)
    const { api, server } = await context.asNobody(values.server)
    await api.email.sendVerificationEmail({ email })
    return {
      // The service does not reveal which addresses it knows.
      sentence: `If ${email} has an account that is not verified, a mail is on its way`,
      status: 'planned',
      resource: { email, emailVerified: false, signedIn: await context.isSignedIn() },
      ...nextByMail(server, 'Open its link'),
    }
  },
}

/** Sends to the user's own address. */
export const sendVerification: Flow<CurrentUser, NoFields, unknown, Verification> = {
  command: 'account email verify --send',
  summary: 'Request a mail with a link that verifies your own address',
  title: 'Mail a link to verify the address',
  subject: signedInUser,
  fields: {},
  call: '/send-verification-email',
  answer: verificationFields,
  examples: ['--send'],
  disabledReason: ([me]) => (me && isAddressProven(me) ? 'the address is verified already' : undefined),
  run: async (context, me) => {
    const { email, emailVerified } = me.user
    const resource = { email, emailVerified, signedIn: true }
    if (isAddressProven(me)) return { sentence: `${email} is verified already`, status: 'unchanged', resource }
    const { api, server } = await context.signedIn()
    await api.email.sendVerificationEmail({ email })
    const sentence = `A mail with a link is on its way to ${email}`
    return { sentence, status: 'planned', resource, ...nextByMail(server, 'Open its link') }
  },
}

const changeEmailFields = {
  newEmail: {
    kind: 'text',
    label: 'New address',
    argument: '<new>',
    summary: 'the new address',
    isEmail: true,
  },
} as const

/**
 * The owner of a verified address confirms the change by mail first. An unverified address is replaced at once, or when
 * the new one has been verified.
 */
export const changeEmail: Flow<
  CurrentUser,
  typeof changeEmailFields,
  unknown,
  ShownUser & { readonly newEmail: string }
> = {
  command: 'account email set',
  summary: 'Change the address of the signed-in user',
  title: 'Change the e-mail address',
  subject: signedInUser,
  fields: changeEmailFields,
  call: '/change-email',
  answer: { ...fullUserFields, newEmail: 'text' },
  examples: ['alice@example.org', 'alice@example.org --json'],
  note: ({ user: { email, emailVerified } }) =>
    emailVerified
      ? `${email} is verified: you confirm the change by a mail to it, and it stays the address until its link is opened.`
      : `${email} is not verified: the new address replaces it at once, or after verification if the service requires that.`,
  run: async (context, _, values) => {
    const newEmail = canonicalEmail(values.newEmail)
    const { api, server } = await context.signedIn()
    await api.email.changeEmail({ newEmail })
    // Reloaded, because the address could have been verified elsewhere in the meantime.
    const { user } = await context.session({ disableCookieCache: 'true' })
    const resource = { ...toShownUser(user), newEmail }
    if (user.email !== newEmail) {
      const sentence = waitingFor(user, newEmail)
      return { sentence, status: 'planned', resource, ...nextByMail(server, 'Open the link in that mail') }
    }
    const current = await context.current()
    if (current) await context.accounts.rename(current, newEmail)
    const next = nextByMail(server, 'Verify it with the link in the mail to it')
    return { sentence: `The address is now ${newEmail}`, status: 'updated', resource, ...next }
  },
}

const waitingFor = ({ email, emailVerified }: Pick<FullUser, 'email' | 'emailVerified'>, newEmail: string): string =>
  emailVerified
    ? `Mailed ${email} a link to confirm it; it stays the address until then`
    : `Mailed ${newEmail}; ${email} stays the address until the link in that mail is opened`
