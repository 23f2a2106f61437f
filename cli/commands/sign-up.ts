import type { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import { labelOption } from '../argv/flags.ts'
import { printNextStep } from '../argv/scoped-hint.ts'
import type { Context } from '../context.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInLine } from '../flows/auth/sign-in-line.ts'
import { createAccount, signUp } from '../flows/auth/sign-up.ts'
import { aboutFlow, bareFlowCommand, reportResult, runFlowOnce } from './flow-command.ts'
import { allNeeds, needsOf } from './needs.ts'

interface Options {
  readonly signIn: boolean
}

/** Sign-up for a person who wants no session on this machine. */
const withoutSession: typeof signUp = { ...signUp, run: (flowContext, _, values) => createAccount(flowContext, values) }

export const signUpCommand = (context: Context): Command => {
  const command = bareFlowCommand(signUp)
    .alias('signup')
    .option('--no-sign-in', 'only create the account')
    .addOption(labelOption())
    .action((options: Options) => create(context, command, options))
  return describeCommand(command, { ...aboutFlow(signUp), ...allNeeds(needsOf(signUp), needsOf(signIn)) })
}

async function create(context: Context, command: Command, options: Options): Promise<void> {
  const done = await runFlowOnce(context, options.signIn ? signUp : withoutSession, command)
  reportResult(context, done)
  if (!done.leadsHome) printNextStep(context, `Sign in: ${signInLine(done.resource.email)}`)
}
