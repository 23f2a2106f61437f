import { Command } from 'commander'
import { about } from '../../../about.ts'
import type { Context } from '../../../context.ts'
import { usage } from '../../../refusal.ts'
import { passwordFrom } from '../../password.ts'
import { givenLink, linkArgument, openLink, tokenIn } from '../mailed.ts'

interface Options {
  readonly passwordFile?: string
}

const ready = 'postern account password reset LINK --password-file - < new.txt'

export const passwordResetCommand = (context: Context): Command =>
  about(
    new Command('reset')
      .description('Set a new password by the link of a mail; ends every session')
      .argument(...linkArgument)
      .option('--password-file <file>', 'file that holds the new password, - for stdin')
      .action((link: string | undefined, options: Options) => reset(context, link, options)),
    {
      form: 'change',
      writes: true,
      fields: { sessions: 'text' },
      examples: [
        'postern account password reset "http://localhost:4100/api/auth/reset-password/Wm3nT…"',
        'postern account password reset - --password-file new.txt < link.txt',
      ],
    },
  )

async function reset(context: Context, given: string | undefined, { passwordFile }: Options): Promise<void> {
  if (given === '-' && passwordFile === '-')
    throw usage('stdin (-) can hold the link or the password, not both', ready, ['--password-file'])
  const link = await givenLink(context, given, ready)
  const token = await tokenIn(context, link, 'reset')
  const value = await passwordFrom(context, passwordFile)
  const { newPassword } = await context.ask(
    { newPassword: { flag: '--password-file', label: 'New password', secret: true, repeat: true, value } },
    ready,
  )
  const { api } = await context.connectAs(undefined)
  await openLink(() => api.password.resetPassword({ token, newPassword }), 'postern account password forgot')
  context.out.done('Set the new password and ended every session', {
    status: 'updated',
    resource: { sessions: 'all' },
  })
  context.out.note('Sign in with it: postern sign-in')
}
