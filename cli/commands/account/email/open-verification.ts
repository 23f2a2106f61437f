import type { User } from '../../../../shared/entities.ts'
import type { Jar } from '../../../client/jar/jar.ts'
import type { Context } from '../../../context.ts'
import { renameHere } from '../../kept-session.ts'
import { openLink, tokenIn } from '../mailed.ts'

const again = 'postern account email verify --send'

/** Without a callbackURL, so that the answer is JSON and no redirect. */
export async function openVerification(context: Context, text: string): Promise<void> {
  const token = await tokenIn(context, text, 'verify')
  const { claimsOf } = await import('../../../link-token.ts')
  const { email, isChange } = claimsOf(token)
  if (isChange) return change(context, token, email)
  const jar = await jarFor(context, email)
  const wasSignedIn = jar?.isSignedIn() ?? false
  const { api } = await (jar ? context.connectAs(jar) : context.connect())
  await openLink(() => api.email.verifyEmail({ token }), again)
  await report(context, email, { jar, wasSignedIn })
}

/** Only in the session of the user whom the mail went to. */
async function change(context: Context, token: string, email: string): Promise<void> {
  const jar = await jarFor(context, email)
  const { api } = jar?.isSignedIn() ? await context.connectAs(jar) : await context.connectSignedIn()
  const { user } = await openLink(() => api.email.verifyEmail({ token }), 'postern account email set NEW')
  if (!user) return report(context, email, { jar, wasSignedIn: true })
  if (user.email === email) return agreed(context, user)
  await renameHere(context, email, user.email)
  context.out.done(`The address is now ${user.email}`, { status: 'updated', resource: resourceOf(user, true) })
  if (!user.emailVerified)
    context.out.note('Verify it with the link in the mail to it: postern account email verify LINK')
}

/** Where addresses have to be verified the new one is asked too, before it takes the place of the old one. */
function agreed({ out }: Context, user: User): void {
  const sentence = `${user.email} agreed; it stays the address until the link in the mail to the new one is opened`
  out.done(sentence, { status: 'planned', resource: resourceOf(user, true) })
  out.note('Open that link: postern account email verify LINK')
}

/** The service may answer with a session: it belongs to the account of the link, whoever is current. */
async function jarFor(context: Context, email: string): Promise<Jar | undefined> {
  const { token } = await context.identity()
  return token === undefined ? context.accounts.open(email) : undefined
}

interface Before {
  readonly jar: Jar | undefined
  readonly wasSignedIn: boolean
}

async function report(context: Context, email: string, { jar, wasSignedIn }: Before): Promise<void> {
  const { token } = await context.identity()
  const signedIn = token !== undefined || (jar?.isSignedIn() ?? false)
  const isNew = signedIn && !wasSignedIn && jar !== undefined
  if (isNew) await context.accounts.use(email)
  context.out.done(`Verified ${email}${isNew ? ', and signed in as it' : ''}`, {
    status: 'updated',
    resource: resourceOf({ email, emailVerified: true }, signedIn),
  })
  if (!signedIn) context.out.note(`Sign in: postern sign-in --email ${email}`)
}

const resourceOf = ({ email, emailVerified }: Pick<User, 'email' | 'emailVerified'>, signedIn: boolean) => ({
  email,
  emailVerified,
  signedIn,
})
