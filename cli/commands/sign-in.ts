import type { Command } from 'commander'
import { about } from '../argv/about.ts'
import { scopeFlags } from '../argv/flags.ts'
import type { Context } from '../context.ts'
import { resumeSignIn } from '../flows/auth/resume-sign-in.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInInBrowser, signInOnDevice } from '../flows/auth/sign-in-device.ts'
import { signInWithIdToken } from '../flows/auth/sign-in-id-token.ts'
import { signInWithToken } from '../flows/auth/sign-in-token.ts'
import { commandLine } from '../flows/command-line.ts'
import { beginSignIn, startedColumns, startedFields } from '../flows/device/started.ts'
import { addFields, factsOf, perform, wordsOf } from './flow-command.ts'
import { flowPortsOf } from './flow-ports.ts'
import { readArgv, readValues } from './flow-values.ts'
import { type SignInOptions, type Way, wayOf } from './sign-in-ways.ts'

export const signInCommand = (context: Context): Command => {
  const command = wordsOf(signIn)
    .alias('login')
    .action((options: SignInOptions) => enter(context, command, options))
  addFields(command, signInWithToken.fields)
  addFields(command, signInOnDevice.fields)
  const { idToken, nonce } = signInWithIdToken.fields
  addFields(command, { idToken, nonce, ticket: resumeSignIn.fields.ticket })
  command
    .option('--device', 'sign in in a browser, in any way that its page offers')
    .option('--start', 'only begin that, and print what --resume needs')
    .option('--open', 'open the page in a browser of this machine')
    .option('--no-open', 'only print its address')
  const facts = factsOf(signIn)
  const examples = [...facts.examples, ...signInOnDevice.examples, ...signInWithIdToken.examples]
  return about(command, { ...facts, fields: { ...facts.fields, ...startedFields }, examples })
}

async function enter(context: Context, command: Command, options: SignInOptions): Promise<void> {
  await ways[wayOf(options)](context, command, options)
  const { token } = await context.identity()
  if (token !== undefined) context.out.warn('POSTERN_TOKEN is set: other commands go on speaking with that token')
}

type Enter = (context: Context, command: Command, options: SignInOptions) => Promise<void>

const ways: Readonly<Record<Way, Enter>> = {
  password: (context, command) => perform(context, signIn, command),
  token: (context, command) => perform(context, signInWithToken, command),
  'id-token': (context, command) => perform(context, signInWithIdToken, command),
  resume: (context, command) => perform(context, resumeSignIn, command),
  browser: waitForBrowser,
  start,
}

/** Nobody reads the code where nobody sits: a script begins, tells somebody, and goes on. */
async function waitForBrowser(context: Context, command: Command, { provider, open }: SignInOptions): Promise<void> {
  const words = provider === undefined ? [] : ['--provider', provider]
  context.checkPrompt(
    ['--start'],
    commandLine('postern', 'sign-in', ...words, '--start', '--json', ...scopeFlags(context.flags)),
  )
  const run: typeof signInOnDevice.run = (ports, _, values) =>
    signInInBrowser(ports, values, open ?? ports.browser.isHere)
  await perform(context, { ...signInOnDevice, run }, command)
}

async function start(context: Context, command: Command): Promise<void> {
  const values = await readValues(context, signInOnDevice, readArgv(signInOnDevice, command))
  const started = await beginSignIn(flowPortsOf(context), { ...values, provider: values.provider || undefined })
  const { out } = context
  if (out.style.mode === 'ids') out.text(started.ticket, started)
  else await out.one(started, startedColumns)
}
