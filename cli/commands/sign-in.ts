import type { Command } from 'commander'
import { machineAddress } from '../../shared/email.ts'
import { about } from '../argv/about.ts'
import { labelOption, scopeFlags } from '../argv/flags.ts'
import type { Context } from '../context.ts'
import { resumeSignIn } from '../flows/auth/resume-sign-in.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInInBrowser, signInOnDevice } from '../flows/auth/sign-in-device.ts'
import { signInWithIdToken } from '../flows/auth/sign-in-id-token.ts'
import { requireForWhom, signInAsMachine } from '../flows/auth/sign-in-oidc.ts'
import { signInWithToken } from '../flows/auth/sign-in-token.ts'
import { beginSignIn, startedColumns, startedFields } from '../flows/device/started.ts'
import { commandLine } from '../output/shell-line.ts'
import { addFields, factsOf, perform, reportDone, wordsOf } from './flow-command.ts'
import { flowPortsOf } from './flow-ports.ts'
import { readArgv, readValues } from './flow-values.ts'
import { type SignInOptions, type Way, wayOf } from './sign-in-ways.ts'
import { ifSignedInOption, stillSignedIn } from './still-signed-in.ts'

export const signInCommand = (context: Context): Command => {
  const command = wordsOf(signIn)
    .alias('login')
    .action((options: SignInOptions) => enter(context, command, options))
  addFields(command, signInWithToken.fields)
  addFields(command, signInOnDevice.fields)
  const { idToken, nonce } = signInWithIdToken.fields
  const { audience, trust } = signInAsMachine.fields
  addFields(command, { idToken, nonce, audience, trust, ticket: resumeSignIn.fields.ticket })
  command
    .option('--oidc', "as the machine of a CI job, by its provider's id token; the job needs no secret")
    .option('--device', 'sign in in a browser, in any way that its page offers')
    .option('--start', 'only begin that, and print what --resume needs')
    .option('--open', 'open the page in a browser of this machine')
    .option('--no-open', 'only print its address')
    .addOption(ifSignedInOption())
    .addOption(labelOption())
  const facts = factsOf(signIn)
  const others = [signInOnDevice, signInWithIdToken, signInAsMachine]
  const examples = [...facts.examples, ...others.flatMap((way) => way.examples)]
  return about(command, {
    ...facts,
    examples,
    others: [
      { by: '--start', form: 'one', fields: startedFields },
      { by: '--oidc', form: 'change', fields: signInAsMachine.answer },
    ],
  })
}

async function enter(context: Context, command: Command, options: SignInOptions): Promise<void> {
  const way = wayOf(options)
  const still = options.ifSignedIn === 'skip' ? await stillSignedIn(context, options.email) : undefined
  if (still) return reportDone(context, still)
  await ways[way](context, command, options)
  const { token } = await context.identity()
  if (token !== undefined) context.out.warn('POSTERN_TOKEN is set: other commands go on speaking with that token')
}

type Enter = (context: Context, command: Command, options: SignInOptions) => Promise<void>

const ways: Readonly<Record<Way, Enter>> = {
  password: (context, command) => perform(context, signIn, command),
  token: (context, command) => perform(context, signInWithToken, command),
  machine: enterAsMachine,
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

/** The token works once: first of all it is seen for whom it is, and that what comes of it can be kept. */
async function enterAsMachine(context: Context, command: Command): Promise<void> {
  const run: typeof signInAsMachine.run = async (ports, subject, values) => {
    requireForWhom(ports, values)
    const { origin } = context.settings.address.value
    await (await context.accounts.open({ origin, email: machineAddress('any') })).checkWritable()
    const { idTokenFor } = await import('./job-token.ts')
    const idToken = values.idToken ?? (await idTokenFor(context, values.audience ?? new URL(values.server).origin))
    return signInAsMachine.run(ports, subject, { ...values, idToken })
  }
  await perform(context, { ...signInAsMachine, run }, command)
}

async function start(context: Context, command: Command): Promise<void> {
  const values = await readValues(context, signInOnDevice, readArgv(signInOnDevice, command))
  const started = await beginSignIn(flowPortsOf(context), { ...values, provider: values.provider || undefined })
  const { out } = context
  if (out.style.mode === 'ids') out.text(started.ticket, started)
  else await out.one(started, startedColumns)
}
