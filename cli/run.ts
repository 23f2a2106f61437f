import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { commandWordAt } from './argv/command-word.ts'
import { joinSortValue, separateOptionalValues } from './argv/flags.ts'
import { scopedHint } from './argv/scoped-hint.ts'
import { type Context, createContext } from './context.ts'
import { type CliError, changedError, withDone } from './output/cli-error.ts'
import { errorJson, errorText, toCliError } from './output/error-report.ts'
import { escapeControls } from './output/escape-controls.ts'
import { optionsIn, wantsJson } from './output/output-form.ts'
import type { Host } from './process/host.ts'
import { createProgram, isCommandName } from './program.ts'

export async function runOnHost(argv: readonly string[], host: Host): Promise<number> {
  const context = createContext(host)
  const code = await run(argv, context)
  if (host.stdout.isTTY && argv[0] !== '__complete') (await import('./update/notice.ts')).noticeUpdate(context)
  return code
}

/** Runs one command line and returns its exit code. Errors have already been printed on stderr. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const at = commandWordAt(argv)
  const word = argv[at]
  if (word === undefined || word === '__complete' || isCommandName(word)) return runWords(argv, context)
  try {
    return await runOwnCommand(argv, at, context)
  } catch (error) {
    return report(error, argv, context)
  }
}

/** A word that is no command can be an alias, or name an extension. Only a sound config file tells which. */
async function runOwnCommand(argv: readonly string[], at: number, context: Context): Promise<number> {
  const { expandAlias } = await import('./argv/aliases.ts')
  const words = expandAlias(argv, { at, aliases: context.config.aliases, isCommand: isCommandName })
  if (words) return runWords(words, context)
  const { findExtension } = await import('./extensions/find.ts')
  const path = findExtension(argv[at] ?? '', context.host.env)
  if (path === undefined) return runWords(argv, context)
  return (await import('./extensions/run.ts')).runExtension(context, argv, { at, path })
}

async function runWords(argv: readonly string[], context: Context): Promise<number> {
  try {
    await runCommand(argv, context)
    return context.exitCode
  } catch (error) {
    return report(error, argv, context)
  }
}

async function runCommand(argv: readonly string[], context: Context): Promise<void> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts')
    return complete(argv, context, createProgram)
  }
  return parse(argv, context)
}

async function report(error: unknown, argv: readonly string[], context: Context): Promise<ExitCode> {
  const cliError = await withActor(withScopedHint(withChanges(error, context), context), context)
  const { stderr } = context.host
  const { notesPaint, notesWidth } = context.out.style
  stderr.write(wantsJson(argv) ? errorJson(cliError) : errorText(cliError, notesPaint, notesWidth))
  if (optionsIn(argv).includes('--debug') && error instanceof Error) stderr.write(`${shownStack(error)}\n`)
  return cliError.exitCode
}

/** The first line of a stack may hold text from the service. */
const shownStack = ({ stack = '' }: Error): string => stack.split('\n').map(escapeControls).join('\n')

/** After these nobody knows what the command has done. */
const unclear: ReadonlySet<ExitCode> = new Set([
  exitCodes.failure,
  exitCodes.network,
  exitCodes.server,
  exitCodes.interrupted,
  exitCodes.terminated,
])

function withChanges(error: unknown, { changes }: Context): CliError {
  const cliError = toCliError(error)
  return unclear.has(cliError.exitCode) ? withDone(cliError, changes) : cliError
}

/** Adds the scope flags of the failed command to the commands in the hint. */
function withScopedHint(error: CliError, { flags }: Context): CliError {
  const { hint, fields } = error
  return hint === undefined ? error : changedError(error, { hint: scopedHint(hint, flags, fields) })
}

/** Says as whom a refused command acted, if it could have acted as somebody else. */
async function withActor(error: CliError, { acting, accounts, flags }: Context): Promise<CliError> {
  if (error.status !== 403 || error.code.startsWith('INVALID_') || !acting || flags.account !== undefined) return error
  const kept = await accounts.list().catch(() => [])
  const others = kept.filter((one) => one.origin === acting.origin && one.isSignedIn && one.email !== acting.email)
  const [other, ...more] = others.map(({ email }) => email)
  if (other === undefined) return error
  const actor = `You act as ${acting.email}; another account: --account ${more.length > 0 ? 'EMAIL' : other}`
  return changedError(error, { hint: [actor, error.hint].filter(Boolean).join('. ') })
}

/** Runs the command in argv. Commander's parse errors are reworded. */
async function parse(argv: readonly string[], context: Context): Promise<void> {
  const program = await createProgram(context, argv)
  try {
    await program.parseAsync(separateOptionalValues(joinSortValue(argv)), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (isHelp(error)) return
    // Most lines are right, so what is said of wrong ones is loaded only for them.
    const { toUsageError } = await import('./usage-error.ts')
    throw await toUsageError(error, program, { argv, context })
  }
}

const isHelp = ({ exitCode, code }: CommanderError): boolean => exitCode === 0 || code === 'commander.help'
