import { type Command, Option } from 'commander'
import { canonicalEmail, isMachineAddress, machineAddress } from '../../shared/email.ts'
import type { SessionView, User } from '../../shared/entities.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type AccountRef, accountRefOf } from '../accounts/accounts.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import { labelOption, scopeFlags } from '../argv/flags.ts'
import type { Context } from '../context.ts'
import { resumeSignIn } from '../flows/auth/resume-sign-in.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInInBrowser, signInOnDevice } from '../flows/auth/sign-in-device.ts'
import { signInWithIdToken } from '../flows/auth/sign-in-id-token.ts'
import { machineLine, requireOrganizationOrRule, signInAsMachine } from '../flows/auth/sign-in-oidc.ts'
import { signInWithToken } from '../flows/auth/sign-in-token.ts'
import { beginSignIn } from '../flows/device/start.ts'
import { startedFields } from '../flows/device/started.ts'
import type { FlowResult } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { commandLine } from '../output/shell-line.ts'
import { plannedAnswer } from './dry-run.ts'
import { aboutFlow, addFields, bareFlowCommand, reportResult, runFlow } from './flow-command.ts'
import { flowContextOf } from './flow-context.ts'
import { readArgv, readValues } from './flow-values.ts'
import { allNeeds, needsOf } from './needs.ts'
import { reportStarted } from './started.ts'

export const signInCommand = (context: Context): Command => {
  const command = bareFlowCommand(signIn)
    .alias('login')
    .action((options: SignInOptions) => enter(context, command, options))
  addFields(command, signInWithToken.fields)
  addFields(command, signInOnDevice.fields)
  const { idToken, nonce } = signInWithIdToken.fields
  const { audience, trust } = signInAsMachine.fields
  addFields(command, { idToken, nonce, audience, trust, ticket: resumeSignIn.fields.ticket })
  command
    .option('--oidc', "sign in a CI job as a machine with its provider's id token; the job needs no secret")
    .option('--device', 'sign in with a browser, in any way that the sign-in page offers')
    .option('--start', 'only start a browser sign-in, and print the ticket that --resume needs')
    .option('--open', 'open the page in a browser on this machine')
    .option('--no-open', 'only print its address')
    .addOption(ifSignedInOption())
    .addOption(labelOption())
  const facts = aboutFlow(signIn)
  const others = [signInOnDevice, signInWithIdToken, signInAsMachine]
  const examples = [...facts.examples, ...others.flatMap((way) => way.examples)]
  return describeCommand(command, {
    ...facts,
    ...allNeeds({ ...facts, asks: [] }, ...[...others, signInWithToken, resumeSignIn].map(needsOf), {
      globalFlags: ['--org'],
    }),
    ends: ['cancelled', 'inputNeeded'],
    examples,
    others: [
      plannedAnswer(),
      { by: '--start', form: 'one', fields: startedFields },
      { by: '--oidc', form: 'change', fields: signInAsMachine.answer },
    ],
  })
}

async function enter(context: Context, command: Command, options: SignInOptions): Promise<void> {
  const way = wayOf(options)
  const still = options.ifSignedIn === 'skip' ? await stillSignedIn(context, options.email) : undefined
  if (still) return reportResult(context, still)
  await signInHandlers[way](context, command, options)
  const { token } = await context.identity()
  if (token !== undefined) context.out.warn('POSTERN_TOKEN is set: other commands keep using that token')
}

type SignInHandler = (context: Context, command: Command, options: SignInOptions) => Promise<void>

const signInHandlers: Readonly<Record<Way, SignInHandler>> = {
  password: (context, command) => runFlow(context, signIn, command),
  token: (context, command) => runFlow(context, signInWithToken, command),
  machine: signInMachine,
  'id-token': (context, command) => runFlow(context, signInWithIdToken, command),
  resume: (context, command) => runFlow(context, resumeSignIn, command),
  browser: waitForBrowser,
  start,
}

/** Without a terminal nobody would read the code: a script starts the sign-in, tells a person, and resumes it. */
async function waitForBrowser(context: Context, command: Command, { provider, open }: SignInOptions): Promise<void> {
  const words = provider === undefined ? [] : ['--provider', provider]
  const line = commandLine('postern', 'sign-in', ...words, '--start', '--json', ...scopeFlags(context.flags))
  if (!context.flags.dryRun) context.checkPrompt(['--start'], line)
  const run: typeof signInOnDevice.run = (flowContext, _, values) =>
    signInInBrowser(flowContext, values, open ?? flowContext.browser.isHere)
  await runFlow(context, { ...signInOnDevice, run }, command)
}

/** The token works only once, so first check its audience and that the session can be stored. */
async function signInMachine(context: Context, command: Command): Promise<void> {
  const run: typeof signInAsMachine.run = async (flowContext, subject, values) => {
    requireOrganizationOrRule(flowContext, values)
    const { origin } = context.settings.address.value
    await (await context.accounts.open({ origin, email: machineAddress('any') })).checkWritable()
    const { idTokenFor } = await import('../workload/id-token.ts')
    const audience = values.audience ?? new URL(values.server).origin
    const ready = machineLine(flowContext, { ...values, idToken: 'FILE' })
    const idToken = values.idToken ?? (await idTokenFor(context, { audience, ready }))
    return signInAsMachine.run(flowContext, subject, { ...values, idToken })
  }
  await runFlow(context, { ...signInAsMachine, run }, command)
}

async function start(context: Context, command: Command): Promise<void> {
  const values = await readValues(context, signInOnDevice, readArgv(signInOnDevice, command))
  const wanted = { ...values, provider: values.provider || undefined }
  await reportStarted(context, () => beginSignIn(flowContextOf(context), wanted))
}

/** The flags of sign-in, under the names that commander gives them. */
interface SignInOptions {
  readonly email?: string
  readonly passwordFile?: string
  readonly remember?: boolean
  readonly tokenFile?: string
  readonly provider?: string
  readonly device?: boolean
  readonly start?: boolean
  readonly resume?: string
  readonly open?: boolean
  readonly wait?: string
  readonly qr?: boolean
  readonly idTokenFile?: string
  readonly nonce?: string
  readonly oidc?: boolean
  readonly audience?: string
  readonly trust?: string
  readonly ifSignedIn?: string
  readonly label?: string
}

type Way = 'machine' | 'token' | 'id-token' | 'resume' | 'start' | 'browser' | 'password'

type Flag = keyof SignInOptions

/** For each way to sign in: the flags that choose it and the flags it can be combined with. The first match counts. */
const ways: readonly (readonly [way: Way, by: readonly Flag[], beside: readonly Flag[], what: string])[] = [
  ['machine', ['oidc'], ['idTokenFile', 'audience', 'trust', 'label'], '--oidc signs a machine in'],
  ['token', ['tokenFile'], [], '--token-file adopts a session as it is'],
  ['id-token', ['idTokenFile'], ['provider', 'nonce', 'label'], '--id-token-file signs in at once'],
  ['resume', ['resume'], ['wait', 'qr'], '--resume continues a started sign-in'],
  ['start', ['start'], ['provider', 'device', 'label'], '--start does not wait'],
  [
    'browser',
    ['provider', 'device'],
    ['open', 'wait', 'qr', 'ifSignedIn', 'label'],
    'A browser sign-in takes everything on its page',
  ],
  [
    'password',
    [],
    ['email', 'passwordFile', 'remember', 'ifSignedIn', 'label'],
    'Without --provider or --device a password signs in',
  ],
]

const help = 'postern sign-in --help'

/** Exit 2 if flags of different ways are combined. */
function wayOf(options: SignInOptions): Way {
  // An unset variable in a script gives an empty value: a provider was meant, so do not fall back to another way.
  if (options.provider === '') throw usageError('Provider is needed', help, ['--provider'])
  const given = (Object.keys(flagNames) as Flag[]).filter((flag) => isGiven(options, flag))
  for (const [way, by, beside, what] of ways) {
    if (by.length > 0 && !by.some((flag) => given.includes(flag))) continue
    const foreign = given.filter((flag) => !by.includes(flag) && !beside.includes(flag)).map((flag) => flagNames[flag])
    if (foreign.length === 0) return way
    throw usageError(`${what}: leave out ${foreign.join(' and ')}`, help, foreign)
  }
  return 'password'
}

/** `remember` is on by default, so only --no-remember counts as given. */
const isGiven = (options: SignInOptions, flag: Flag): boolean =>
  flag === 'remember' ? options.remember === false : options[flag] !== undefined

const flagNames: Readonly<Record<Flag, string>> = {
  email: '--email',
  passwordFile: '--password-file',
  remember: '--no-remember',
  tokenFile: '--token-file',
  provider: '--provider',
  device: '--device',
  start: '--start',
  resume: '--resume',
  open: '--open',
  wait: '--wait',
  qr: '--qr',
  idTokenFile: '--id-token-file',
  nonce: '--nonce',
  oidc: '--oidc',
  audience: '--audience',
  trust: '--trust',
  ifSignedIn: '--if-signed-in',
  label: '--label',
}

/** Has no commander default, so that a conflict is reported only if the flag was typed. */
const ifSignedInOption = (): Option =>
  new Option(
    '--if-signed-in <what>',
    'if the account has a live session here: replace (default) ends it and every token taken from it; skip keeps it and asks for nothing',
  ).choices(['replace', 'skip'])

/** If the session of that account (default: the current account) is still live, makes it current and reports it. */
async function stillSignedIn(context: Context, email: string | undefined): Promise<FlowResult<User> | undefined> {
  const flowContext = flowContextOf(context)
  const account =
    email === undefined ? await flowContext.current() : accountRefOf(flowContext.server, canonicalEmail(email.trim()))
  const kept = account && !isMachineAddress(account.email) ? await flowContext.accounts.find(account) : undefined
  const view = kept && (await liveSession(flowContext, kept))
  // If the address was changed elsewhere, the old one could belong to somebody else by now.
  if (!view || (email !== undefined && view.user.email !== kept.email)) return undefined
  if (!context.flags.dryRun) await flowContext.accounts.choose(kept)
  return { sentence: `Signed in as ${view.user.email} already`, status: 'unchanged', resource: view.user }
}

async function liveSession(flowContext: FlowContext, kept: AccountRef): Promise<SessionView | null> {
  try {
    const { api } = await flowContext.asAccount(kept)
    return await api.session.getSession()
  } catch (error) {
    if (toCliError(error).exitCode === exitCodes.signedOut) return null
    throw error
  }
}
