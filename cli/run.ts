import { type Command, CommanderError } from 'commander'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { builtOrLiveTree } from './argv/built-tree.ts'
import { commandWordAt } from './argv/command-word.ts'
import { separateOptionalValues } from './argv/flags.ts'
import { scopedHint } from './argv/scoped-hint.ts'
import { type CommandNode, commandAt } from './argv/tree.ts'
import { type Context, createContext } from './context.ts'
import { CliError, type CliErrorOptions, usageError } from './output/cli-error.ts'
import { errorJson, errorText, toCliError } from './output/error-report.ts'
import { escapeControls } from './output/escape-controls.ts'
import { isAboutOutput, wantsJson } from './output/form.ts'
import { commandLine } from './output/shell-line.ts'
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

/** A word that is no command can be an alias, or name an extension. */
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

function report(error: unknown, argv: readonly string[], context: Context): ExitCode {
  const cliError = withScopedHint(withChanges(toCliError(error), context), context)
  const { stderr } = context.host
  const { page, notesWidth } = context.out.style
  stderr.write(wantsJson(argv) ? errorJson(cliError) : errorText(cliError, page.paint, notesWidth))
  if (argv.includes('--debug') && error instanceof Error) stderr.write(`${shownStack(error)}\n`)
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

/** Adds what the service had confirmed before a failure that says nothing of it. */
function withChanges(error: CliError, { changes }: Context): CliError {
  if (changes.length === 0 || !unclear.has(error.exitCode)) return error
  const done = new Set(changes.map(({ summary, method, path }) => `Already done: ${summary} (${method} ${path})`))
  return changedError(error, { details: [...error.details, ...done] })
}

/** Adds the scope flags of the failed command to the commands in the hint. */
function withScopedHint(error: CliError, { flags }: Context): CliError {
  const { hint, fields } = error
  return hint === undefined ? error : changedError(error, { hint: scopedHint(hint, flags, fields) })
}

function changedError(error: CliError, changes: Partial<CliErrorOptions>): CliError {
  const { exitCode, message, hint, code, status, details, fields, cause } = error
  return new CliError(exitCode, message, { code, status, details, fields, cause, hint, ...changes })
}

/** Runs the command in argv. Commander's parse errors are reworded. */
async function parse(argv: readonly string[], context: Context): Promise<void> {
  const program = await createProgram(context, argv)
  try {
    await program.parseAsync(separateOptionalValues(argv), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (!isHelp(error)) throw await toUsageError(error, program, { argv, context })
  }
}

const isHelp = ({ exitCode, code }: CommanderError): boolean => exitCode === 0 || code === 'commander.help'

/** Rewords an error of commander: exit 2, with the nearest name or the command's help as the hint. */
async function toUsageError(
  { message, code }: CommanderError,
  program: Command,
  { argv, context }: { readonly argv: readonly string[]; readonly context: Context },
): Promise<CliError> {
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  const nearest = suggestion?.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, '$1')
  const meant =
    detachedFields(code, argv) ??
    onlyFlagFor(code, program, argv) ??
    longerFlag(sentence, program, argv) ??
    (code === 'commander.unknownCommand' ? await meantCommand(program, argv, { context, nearest }) : nearest)
  return usageError(text, meant ? `Did you mean ${meant}?` : `${knownPath(program, argv)} --help`)
}

/** A command of that name anywhere, or else the nearest one: of the same noun, then of others. */
async function meantCommand(
  program: Command,
  argv: readonly string[],
  { context, nearest }: { readonly context: Context; readonly nearest: string | undefined },
): Promise<string | undefined> {
  const { commandsLike } = await import('./argv/suggest.ts')
  const known = knownWords(program, argv)
  const tree = await treeFrom(known, context)
  const [word = '', ...rest] = argv.filter((one) => !one.startsWith('-')).slice(known.length)
  const { named, similar } = commandsLike(tree, word, { known, rest })
  return [named.join(' or '), nearest, similar.join(' or ')].find(Boolean)
}

/** The tree of all commands. Aliases stand only at its top. */
async function treeFrom(known: readonly string[], context: Context): Promise<CommandNode> {
  const tree = await builtOrLiveTree(() => createProgram(context))
  return known.length > 0 ? tree : (await import('./argv/aliases.ts')).withAliases(tree, context.config.aliases)
}

/** Finds `--json id`, which must be written `--json=id`. */
function detachedFields(code: string, argv: readonly string[]): string | undefined {
  const word = argv[argv.indexOf('--json') + 1]
  const isMeant =
    code === 'commander.excessArguments' && argv.includes('--json') && /^[a-z]\w*(,\w+)*$/i.test(word ?? '')
  return isMeant ? `--json=${word}` : undefined
}

/**
 * Suggests `--team Design` for `team member list Design`: the command takes no arguments and has a single flag with a
 * value.
 */
function onlyFlagFor(code: string, program: Command, argv: readonly string[]): string | undefined {
  const path = knownWords(program, argv)
  const word = argv[argv.indexOf(path.at(-1) ?? '') + 1]
  const flag = onlyFlagOf(commandAt(program, path))
  if (code !== 'commander.excessArguments' || word === undefined || flag === undefined) return undefined
  return argv.includes(flag) ? undefined : commandLine(flag, word)
}

/** The only flag with a required value of a command that takes no arguments. */
function onlyFlagOf(command: Command | undefined): string | undefined {
  const [flag, ...others] = command?.options.filter(({ required, long }) => required && !isAboutOutput(long)) ?? []
  return others.length > 0 || command?.registeredArguments.length !== 0 ? undefined : flag?.long
}

/** Suggests `--password-file` for `--password`, which is too different for the edit distance. */
function longerFlag(sentence: string, program: Command, argv: readonly string[]): string | undefined {
  const flag = /^unknown option '(--[^']+)'$/.exec(sentence)?.[1]
  const options = commandAt(program, knownWords(program, argv))?.options ?? []
  return flag === undefined ? undefined : options.find(({ long }) => long?.startsWith(`${flag}-`))?.long
}

const knownPath = (program: Command, argv: readonly string[]): string =>
  ['postern', ...knownWords(program, argv)].join(' ')

/** The leading words of argv that name a command. */
function knownWords(program: Command, argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => !word.startsWith('-'))
  const unknown = words.findIndex((_, index) => !commandAt(program, words.slice(0, index + 1)))
  return unknown < 0 ? words : words.slice(0, unknown)
}
