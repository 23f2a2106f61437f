import { Command } from 'commander'
import { canonicalEmail } from '../../../../shared/email.ts'
import { about } from '../../../about.ts'
import type { Context } from '../../../context.ts'
import { renameHere } from '../../kept-session.ts'
import { fullUserFields, requireSession, shownUser } from '../../people.ts'

const verify = 'postern account email verify LINK'

export const emailSetCommand = (context: Context): Command =>
  about(
    new Command('set')
      .description('Change the address of the signed-in user')
      .argument('<new>', 'the new address')
      .action((address: string) => set(context, canonicalEmail(address.trim()))),
    {
      form: 'change',
      writes: true,
      fields: { ...fullUserFields, newEmail: 'text' },
      examples: ['postern account email set alice@example.org', 'postern account email set alice@example.org --json'],
    },
  )

/** A verified address is asked by mail first; another one gives way at once, or once the new one is verified. */
async function set(context: Context, newEmail: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const { user: before } = await requireSession(context, connection)
  await connection.api.email.changeEmail({ newEmail })
  const view = await requireSession(context, connection, { disableCookieCache: 'true' })
  const user = shownUser(view.user)
  const resource = { ...user, newEmail }
  if (user.email !== newEmail) {
    const sentence = user.emailVerified
      ? `Mailed ${user.email} for consent; it stays the address until then`
      : `Mailed ${newEmail}; ${user.email} stays the address until the link in that mail is opened`
    context.out.done(sentence, { status: 'planned', resource })
    return context.out.note(`Open the link in that mail: ${verify}`)
  }
  await renameHere(context, before.email, newEmail)
  context.out.done(`The address is now ${newEmail}`, { status: 'updated', resource })
  context.out.note(`Verify it with the link in the mail to it: ${verify}`)
}
