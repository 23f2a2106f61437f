import type { Command, CommanderError } from 'commander'
import { builtOrLiveTree } from './argv/built-tree.ts'
import { type CommandNode, commandAt } from './argv/tree.ts'
import type { Context } from './context.ts'
import { type CliError, usageError } from './output/cli-error.ts'
import { isAboutOutput } from './output/output-form.ts'
import { commandLine } from './output/shell-line.ts'
import { createProgram } from './program.ts'

/** Rewords an error of commander: exit 2, with the nearest name or the command's help as the hint. */
export async function toUsageError(
  { message, code }: CommanderError,
  program: Command,
  { argv, context }: { readonly argv: readonly string[]; readonly context: Context },
): Promise<CliError> {
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  const nearest = nearestIn(suggestion, code, sentence)
  const meant =
    detachedFields(code, argv) ??
    onlyFlagFor(code, program, argv) ??
    longerFlag(sentence, program, argv) ??
    otherProgramsFlag(sentence, program, argv) ??
    (code === 'commander.unknownCommand' ? await meantCommand(program, argv, { context, nearest }) : nearest)
  if (isSettingAsFlag(sentence, program, argv) && meant === undefined) return usageError(text, settingsHint)
  return usageError(text, meant ? `Did you mean ${meant}?` : `${knownPath(program, argv)} --help`)
}

const settingsHint =
  'Settings of the service are variables, not flags: PORT=5000 postern serve. See all of them: postern serve --check'

const isSettingAsFlag = (sentence: string, program: Command, argv: readonly string[]): boolean =>
  sentence.startsWith('unknown option') && knownWords(program, argv).join(' ') === 'serve'

/**
 * What the parser finds similar. Of a flag, only with the same first letter: a slip of the keyboard, as in `--quite`,
 * seldom changes it, and for `--port` nobody means `--sort`.
 */
function nearestIn(suggestion: string | undefined, code: string, sentence: string): string | undefined {
  const found = suggestion?.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, '$1').split(', ') ?? []
  const start = code === 'commander.unknownOption' ? /'(--.)/.exec(sentence)?.[1] : undefined
  return found.filter((name) => start === undefined || name.startsWith(start)).join(', ') || undefined
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
  const [word = '', ...rest] = plainWords(program, argv).slice(known.length)
  const { named, similar } = commandsLike(tree, word, { known, rest })
  return [named.join(' or '), nearest, similar.join(' or ')].find(Boolean)
}

/** The tree of all commands. Aliases stand only at its top. */
async function treeFrom(known: readonly string[], context: Context): Promise<CommandNode> {
  const tree = await builtOrLiveTree(() => createProgram(context))
  if (known.length > 0) return tree
  const { withAliases } = await import('./argv/aliases.ts')
  return withAliases(tree, context.config.aliases)
}

/** Finds `--json id`, which must be written `--json=id`. */
function detachedFields(code: string, argv: readonly string[]): string | undefined {
  const word = argv[argv.indexOf('--json') + 1]
  const isMeant =
    code === 'commander.excessArguments' && argv.includes('--json') && /^[a-z]\w*(,\w+)*$/i.test(word ?? '')
  return isMeant ? `--json=${word}` : undefined
}

/**
 * Suggests `--team Design` for `team member list Design`, and `--file acme.yaml` for `org apply acme.yaml`: the command
 * takes no arguments, and a single flag with a value or one that it needs.
 */
function onlyFlagFor(code: string, program: Command, argv: readonly string[]): string | undefined {
  const path = knownWords(program, argv)
  const word = argv[argv.indexOf(path.at(-1) ?? '') + 1]
  const command = commandAt(program, path)
  const flag = onlyFlagOf(command)
  if (!lacksFlag.includes(code) || word === undefined || word.startsWith('-') || flag === undefined) return undefined
  const isNumber = command?.options.some(({ long, flags }) => long === flag && flags.endsWith('<number>'))
  return argv.includes(flag) || (isNumber && !/^\d+$/.test(word)) ? undefined : commandLine(flag, word)
}

const lacksFlag = ['commander.excessArguments', 'commander.missingMandatoryOptionValue']

/** The flag that a command without arguments needs, or its only one with a value. */
function onlyFlagOf(command: Command | undefined): string | undefined {
  if (command?.registeredArguments.length !== 0) return undefined
  const needed = command.options.find(({ mandatory }) => mandatory)
  const [flag, ...others] = command.options.filter(({ required, long }) => required && !isAboutOutput(long))
  return needed?.long ?? (others.length > 0 ? undefined : flag?.long)
}

/** Suggests `--password-file` for `--password`, which is too different for the edit distance. */
function longerFlag(sentence: string, program: Command, argv: readonly string[]): string | undefined {
  const flag = /^unknown option '(--[^']+)'$/.exec(sentence)?.[1]
  const options = commandAt(program, knownWords(program, argv))?.options ?? []
  return flag === undefined ? undefined : options.find(({ long }) => long?.startsWith(`${flag}-`))?.long
}

/** Flags that other programs have for the same. */
const otherFlags: Readonly<Record<string, string>> = {
  '--format': '--output',
  '--filter': '--search',
  '--organization': '--org',
  '--user': '--account',
  '--ttl': '--expires',
  '--force': '--yes',
  '--verbose': '--debug',
}

function otherProgramsFlag(sentence: string, program: Command, argv: readonly string[]): string | undefined {
  const meant = otherFlags[/^unknown option '(--[a-z]+)/.exec(sentence)?.[1] ?? '']
  const options = [program, commandAt(program, knownWords(program, argv))].flatMap((one) => one?.options ?? [])
  return options.find(({ long }) => long === meant)?.long ?? undefined
}

const knownPath = (program: Command, argv: readonly string[]): string =>
  ['postern', ...knownWords(program, argv)].join(' ')

/** The words of argv that are neither flags nor values of global ones. */
function plainWords({ options }: Command, argv: readonly string[]): readonly string[] {
  const takesValue = (word = '') =>
    options.some(({ required, short, long }) => required && [short, long].includes(word))
  return argv.filter((word, index) => !word.startsWith('-') && !takesValue(argv[index - 1]))
}

/** The leading words of argv that name a command. */
function knownWords(program: Command, argv: readonly string[]): readonly string[] {
  const words = plainWords(program, argv)
  const unknown = words.findIndex((_, index) => !commandAt(program, words.slice(0, index + 1)))
  return unknown < 0 ? words : words.slice(0, unknown)
}
