import type { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { createKey, createOwnKey } from '../../flows/key/new-key.ts'
import { usageError } from '../../output/cli-error.ts'
import { factsOf, perform, wordsOf } from '../flow-command.ts'

interface Options {
  readonly mine?: boolean
  readonly role?: readonly string[]
}

/** Without a role, and without an organization that is named here, it is the person's own. */
export const keyCreateCommand = (context: Context): Command => {
  const command = wordsOf(createKey)
    .option('--mine', 'a key that acts as the signed-in user')
    .action((_: string, options: Options) => create(context, command, options))
  return about(command, factsOf(createKey))
}

function create(context: Context, command: Command, { mine, role }: Options): Promise<void> {
  if (mine && role)
    throw usageError(
      '--mine and --role cannot be combined: a key of your own may what you may',
      'Hold it to less by --scope, or leave one out: postern key create --help',
      ['--mine', '--role'],
    )
  const isOwn = mine ?? (role === undefined && context.flags.org === undefined)
  return isOwn ? perform(context, createOwnKey, command) : perform(context, createKey, command)
}
