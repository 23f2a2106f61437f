import type { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { mailVerification } from '../../flows/email/mail-verification.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { verifyEmail } from '../../flows/email/verify.ts'
import { usageError } from '../../output/cli-error.ts'
import { addFields, factsOf, perform, wordsOf } from '../flow-command.ts'
import { flowPortsOf } from '../flow-ports.ts'

interface Options {
  readonly send?: boolean
  readonly email?: string
}

export const emailVerifyCommand = (context: Context): Command => {
  const command = wordsOf(verifyEmail)
    .option('--send', 'mail a new link to the address')
    .action((link: string | undefined, options: Options) => verify(context, command, { ...options, link }))
  addFields(command, mailVerification.fields)
  return about(command, factsOf(verifyEmail))
}

async function verify(
  context: Context,
  command: Command,
  { link, send, email }: Options & { readonly link: string | undefined },
): Promise<void> {
  if (send && link !== undefined)
    throw usageError('Either ask for a mail (--send) or open its link', undefined, ['--send'])
  if (!send && email !== undefined) throw usageError('--email goes with --send', undefined, ['--email'])
  if (!send) return perform(context, verifyEmail, command)
  const isOwn = email === undefined && (await flowPortsOf(context).isSignedIn())
  return isOwn ? perform(context, sendVerification, command) : perform(context, mailVerification, command)
}
