import { canonicalEmail } from '../../../../shared/email.ts'
import type { Connection } from '../../../connect.ts'
import type { Context } from '../../../context.ts'
import { requireSession } from '../../people.ts'

const ready = 'postern account email verify --send --email alice@example.com'

/** Asks for a mail to the given address as nobody, so to any; to the own one as who is signed in. */
export async function sendVerification(context: Context, given: string | undefined): Promise<void> {
  if (given === undefined && (await isSignedIn(context))) return sendToOwn(context, await context.connectSignedIn())
  const { email } = await context.ask({ email: { flag: '--email', label: 'Email', value: given } }, ready)
  await send(context, await context.connectAs(undefined), canonicalEmail(email.trim()))
}

async function isSignedIn(context: Context): Promise<boolean> {
  const { token, account } = await context.identity()
  return token !== undefined || (account !== undefined && (await context.accounts.open(account)).isSignedIn())
}

async function sendToOwn(context: Context, connection: Connection): Promise<void> {
  const { user } = await requireSession(context, connection, { disableCookieCache: 'true' })
  if (!user.emailVerified) return send(context, connection, user.email)
  const resource = { email: user.email, emailVerified: true, signedIn: true }
  context.out.done(`${user.email} is verified already`, { status: 'unchanged', resource })
}

async function send(context: Context, { api }: Connection, email: string): Promise<void> {
  await api.email.sendVerificationEmail({ email })
  // The service tells nobody which addresses it knows.
  context.out.done(`If ${email} has an account that is not verified, a mail is on its way`, {
    status: 'planned',
    resource: { email, emailVerified: false, signedIn: await isSignedIn(context) },
  })
  context.out.note('Open its link: postern account email verify LINK')
}
