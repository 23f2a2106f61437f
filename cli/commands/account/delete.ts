import type { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { confirmDeletion } from '../../flows/account/confirm-deletion.ts'
import { deleteAccount } from '../../flows/account/delete.ts'
import { usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { addFields, factsOf, perform, performOne, reportDone, wordsOf } from '../flow-command.ts'
import { noteNext } from '../note-next.ts'

interface Options {
  readonly passwordFile?: string
  readonly tokenFile?: string
}

export const accountDeleteCommand = (context: Context): Command => {
  const command = wordsOf(deleteAccount).action((options: Options) => remove(context, command, options))
  addFields(command, confirmDeletion.fields)
  return about(command, factsOf(deleteAccount))
}

async function remove(context: Context, command: Command, { passwordFile, tokenFile }: Options): Promise<void> {
  if (tokenFile === undefined) return ask(context, command)
  const flags = ['--token-file', '--password-file']
  if (passwordFile !== undefined) throw usageError('The link needs no password with it', 'Leave one of them out', flags)
  return perform(context, confirmDeletion, command)
}

async function ask(context: Context, command: Command): Promise<void> {
  const { next, ...done } = await performOne(context, deleteAccount, command)
  reportDone(context, done)
  const { email } = done.resource
  if (next)
    // As the mail says it: a token is not to be typed where it can be seen, and no file holds it yet.
    noteNext(
      context,
      `Then, as the mail has it: echo TOKEN | ${commandLine('postern', 'account', 'delete', '--confirm', email, '--token-file', '-')}`,
    )
}
