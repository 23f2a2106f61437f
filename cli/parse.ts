import { type Command, CommanderError } from 'commander'
import { detachJson } from './argv/flags.ts'
import { commandAt } from './argv/tree.ts'
import type { Context } from './context.ts'
import { type CliError, usageError } from './output/cli-error.ts'
import { commandLine } from './output/shell-line.ts'
import { createProgram } from './program.ts'

/** Runs the command that argv means; what cannot be read of it is said in our words. */
export async function parse(argv: readonly string[], context: Context): Promise<void> {
  const program = await createProgram(context, argv)
  try {
    await program.parseAsync(detachJson(argv), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (!isHelp(error)) throw toUsageError(error, program, argv)
  }
}

const isHelp = ({ exitCode, code }: CommanderError): boolean => exitCode === 0 || code === 'commander.help'

/** What commander says, in our words: exit 2, and the nearest name or the help of the command that was meant. */
function toUsageError({ message, code }: CommanderError, program: Command, argv: readonly string[]): CliError {
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  const nearest = suggestion?.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, '$1')
  const meant =
    detachedFields(code, argv) ?? flagForWord(code, program, argv) ?? longerFlag(sentence, program, argv) ?? nearest
  return usageError(text, meant ? `Did you mean ${meant}?` : `${knownPath(program, argv)} --help`)
}

/** `--json id` where `--json=id` was meant: fields stand after the sign only. */
function detachedFields(code: string, argv: readonly string[]): string | undefined {
  const word = argv[argv.indexOf('--json') + 1]
  const isMeant =
    code === 'commander.excessArguments' && argv.includes('--json') && /^[a-z]\w*(,\w+)*$/i.test(word ?? '')
  return isMeant ? `--json=${word}` : undefined
}

/** `team member list Design` where `--team Design` was meant: a word for a command that takes none, and one flag with a value. */
function flagForWord(code: string, program: Command, argv: readonly string[]): string | undefined {
  const path = knownWords(program, argv)
  const word = argv[argv.indexOf(path.at(-1) ?? '') + 1]
  const flag = onlyFlagOf(commandAt(program, path))
  if (code !== 'commander.excessArguments' || word === undefined || flag === undefined) return undefined
  return argv.includes(flag) ? undefined : commandLine(flag, word)
}

/** Of a command without arguments. */
function onlyFlagOf(command: Command | undefined): string | undefined {
  const [flag, ...others] = command?.options.filter(({ required }) => required) ?? []
  return others.length > 0 || command?.registeredArguments.length !== 0 ? undefined : flag?.long
}

/** `--password` where there is `--password-file`, which no comparison of letters finds. */
function longerFlag(sentence: string, program: Command, argv: readonly string[]): string | undefined {
  const flag = /^unknown option '(--[^']+)'$/.exec(sentence)?.[1]
  const options = commandAt(program, knownWords(program, argv))?.options ?? []
  return flag === undefined ? undefined : options.find(({ long }) => long?.startsWith(`${flag}-`))?.long
}

const knownPath = (program: Command, argv: readonly string[]): string =>
  ['postern', ...knownWords(program, argv)].join(' ')

/** The words of argv that lead to a command. */
function knownWords(program: Command, argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => !word.startsWith('-'))
  const unknown = words.findIndex((_, index) => !commandAt(program, words.slice(0, index + 1)))
  return unknown < 0 ? words : words.slice(0, unknown)
}
