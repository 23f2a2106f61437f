import { Command } from 'commander'
import { canonicalEmail } from '../../../../shared/email.ts'
import { about } from '../../../about.ts'
import type { Context } from '../../../context.ts'

interface Options {
  readonly email?: string
}

const ready = 'postern account password forgot --email alice@example.com'

export const passwordForgotCommand = (context: Context): Command =>
  about(
    new Command('forgot')
      .description('Ask for a mail with a link to set a new password')
      .option('--email <email>', 'address of the account')
      .action((options: Options) => forgot(context, options)),
    { form: 'change', writes: true, fields: { email: 'text' }, examples: [ready] },
  )

async function forgot(context: Context, options: Options): Promise<void> {
  const value = options.email ?? context.settings.account.value
  const { email } = await context.ask({ email: { flag: '--email', label: 'Email', value } }, ready)
  const address = canonicalEmail(email.trim())
  const { api } = await context.connectAs(undefined)
  await api.password.forgetPassword({ email: address })
  // The service tells nobody which addresses it knows.
  context.out.done(`If ${address} has an account, a mail is on its way`, {
    status: 'planned',
    resource: { email: address },
  })
  context.out.note('Set a new password with its link: postern account password reset LINK')
}
