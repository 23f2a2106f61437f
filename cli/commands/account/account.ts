import type { Command } from 'commander'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import { printNextStep } from '../../argv/scoped-hint.ts'
import type { Context } from '../../context.ts'
import { accountActivity } from '../../flows/account/activity.ts'
import { confirmDeletion, deleteAccount } from '../../flows/account/deletion.ts'
import { accountView, editProfile } from '../../flows/account/me.ts'
import { changeEmail, mailVerification, sendVerification, verifyEmail } from '../../flows/email/addresses.ts'
import { linkList, refreshLink, removeLink } from '../../flows/link/accounts.ts'
import { changePassword, forgotPassword, resetPassword } from '../../flows/password/passwords.ts'
import { usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { accountExportCommand } from '../export-person.ts'
import {
  aboutFlow,
  addFields,
  bareFlowCommand,
  flowCommand,
  reportResult,
  runFlow,
  runFlowOnce,
} from '../flow-command.ts'
import { flowContextOf } from '../flow-context.ts'
import { allNeeds, needsOf } from '../needs.ts'
import { listCommand, viewCommand } from '../read-command.ts'
import { trailCommand } from '../trail-command.ts'
import { addLinkCommand } from './link.ts'

export const accountCommand = (context: Context): Command =>
  noun('account', { summary: 'The signed-in user', plural: 'accounts' }, [
    viewCommand(context, accountView),
    trailCommand(context, accountActivity),
    flowCommand(context, editProfile),
    accountExportCommand(context),
    accountDeleteCommand(context),
    noun('email', { summary: 'The address of the signed-in user' }, [
      flowCommand(context, changeEmail),
      emailVerifyCommand(context),
    ]),
    noun('password', { summary: 'The password of the signed-in user, or a forgotten one' }, [
      flowCommand(context, changePassword),
      flowCommand(context, forgotPassword),
      flowCommand(context, resetPassword),
    ]),
    noun('link', { summary: 'The provider accounts that the signed-in user can sign in with', plural: 'links' }, [
      listCommand(context, linkList),
      addLinkCommand(context),
      flowCommand(context, removeLink),
      flowCommand(context, refreshLink),
    ]),
  ])

interface Options {
  readonly passwordFile?: string
  readonly tokenFile?: string
}

const accountDeleteCommand = (context: Context): Command => {
  const command = bareFlowCommand(deleteAccount).action((options: Options) => remove(context, command, options))
  addFields(command, confirmDeletion.fields)
  return describeCommand(command, {
    ...aboutFlow(deleteAccount),
    ...allNeeds(needsOf(deleteAccount), needsOf(confirmDeletion)),
  })
}

async function remove(context: Context, command: Command, { passwordFile, tokenFile }: Options): Promise<void> {
  if (tokenFile === undefined) return ask(context, command)
  const flags = ['--token-file', '--password-file']
  if (passwordFile !== undefined)
    throw usageError('A link from a mail needs no password', 'Leave one of them out', flags)
  return runFlow(context, confirmDeletion, command)
}

async function ask(context: Context, command: Command): Promise<void> {
  const { next, ...done } = await runFlowOnce(context, deleteAccount, command)
  reportResult(context, done)
  const { email } = done.resource
  if (next && email !== undefined)
    // As the mail says: the token must not be typed where others can see it, and no file holds it yet.
    printNextStep(
      context,
      `Then run the command from the mail: echo TOKEN | ${commandLine('postern', 'account', 'delete', '--confirm', email, '--token-file', '-')}`,
    )
}

interface VerifyOptions {
  readonly send?: boolean
  readonly email?: string
}

const emailVerifyCommand = (context: Context): Command => {
  const command = bareFlowCommand(verifyEmail)
    .option('--send', 'mail a new link to the address')
    .action((link: string | undefined, options: VerifyOptions) => verify(context, command, { ...options, link }))
  addFields(command, mailVerification.fields)
  return describeCommand(command, {
    ...aboutFlow(verifyEmail),
    ...allNeeds(needsOf(verifyEmail), needsOf(mailVerification), { globalFlags: ['--account'] }),
  })
}

async function verify(
  context: Context,
  command: Command,
  { link, send, email }: VerifyOptions & { readonly link: string | undefined },
): Promise<void> {
  if (send && link !== undefined)
    throw usageError('Either ask for a mail (--send) or open its link', undefined, ['--send'])
  if (!send && email !== undefined) throw usageError('--email goes with --send', undefined, ['--email'])
  if (!send) return runFlow(context, verifyEmail, command)
  const isOwn = email === undefined && (await flowContextOf(context).isSignedIn())
  return isOwn ? runFlow(context, sendVerification, command) : runFlow(context, mailVerification, command)
}
