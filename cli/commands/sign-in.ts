import type { Command } from 'commander'
import { about } from '../argv/about.ts'
import type { Context } from '../context.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInWithToken } from '../flows/auth/sign-in-token.ts'
import { usageError } from '../output/cli-error.ts'
import { addFields, factsOf, perform, wordsOf } from './flow-command.ts'

interface Options {
  readonly email?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
}

export const signInCommand = (context: Context): Command => {
  const command = wordsOf(signIn)
    .alias('login')
    .action((options: Options) => enter(context, command, options))
  addFields(command, signInWithToken.fields)
  return about(command, factsOf(signIn))
}

async function enter(context: Context, command: Command, options: Options): Promise<void> {
  if (options.tokenFile === undefined) await perform(context, signIn, command)
  else await adopt(context, command, options)
  const { token } = await context.identity()
  if (token !== undefined) context.out.warn('POSTERN_TOKEN is set: other commands go on speaking with that token')
}

async function adopt(context: Context, command: Command, { email, passwordFile }: Options): Promise<void> {
  const flags = ['--token-file']
  if (email !== undefined || passwordFile !== undefined)
    throw usageError('--token-file adopts a session as it is: no --email or --password-file with it', undefined, flags)
  await perform(context, signInWithToken, command)
}
