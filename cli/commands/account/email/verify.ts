import { Command } from 'commander'
import { about } from '../../../about.ts'
import type { Context } from '../../../context.ts'
import { usage } from '../../../refusal.ts'
import { givenLink, linkArgument } from '../mailed.ts'
import { openVerification } from './open-verification.ts'
import { sendVerification } from './send-verification.ts'

interface Options {
  readonly send?: boolean
  readonly email?: string
}

export const emailVerifyCommand = (context: Context): Command =>
  about(
    new Command('verify')
      .description('Verify an address, or confirm its change, by the link of a mail; or ask for that mail')
      .argument(...linkArgument)
      .option('--send', 'mail a new link to the address')
      .option('--email <email>', 'with --send: the address; default: the own one')
      .action((link: string | undefined, options: Options) => verify(context, link, options)),
    {
      form: 'change',
      writes: true,
      fields: { email: 'text', emailVerified: 'flag', signedIn: 'flag' },
      examples: [
        'postern account email verify "http://localhost:4100/api/auth/verify-email?token=eyJhbGciOi…"',
        'postern account email verify - < link.txt',
        'postern account email verify --send',
      ],
    },
  )

async function verify(context: Context, link: string | undefined, { send, email }: Options): Promise<void> {
  if (send && link !== undefined) throw usage('Either ask for a mail (--send) or open its link', undefined, ['--send'])
  if (!send && email !== undefined) throw usage('--email goes with --send', undefined, ['--email'])
  if (send) return sendVerification(context, email)
  await openVerification(context, await givenLink(context, link, 'postern account email verify - < link.txt'))
}
