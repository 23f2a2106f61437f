import { type Command, CommanderError } from 'commander'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { Context } from './context.ts'
import { detachJson } from './flags.ts'
import { failureJson, failureText, refusalFrom } from './output/failure.ts'
import { createProgram } from './program.ts'
import { type Refusal, usage } from './refusal.ts'
import { commandAt } from './tree.ts'

/** Runs one command line to its exit code; whatever went wrong has been said on stderr. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const program = await createProgram(context, argv)
  try {
    await program.parseAsync(detachJson(argv), { from: 'user' })
    return context.exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(error, argv, context)
    return isHelp(error) ? exitCodes.done : report(misuse(error, program, argv), argv, context)
  }
}

function report(error: unknown, argv: readonly string[], context: Context): ExitCode {
  const refusal = refusalFrom(error)
  const { stderr } = context.host
  stderr.write(isForProgram(argv) ? failureJson(refusal) : failureText(refusal, context.out.style.page.paint))
  if (argv.includes('--debug') && error instanceof Error) stderr.write(`${error.stack}\n`)
  return refusal.exitCode
}

// From argv, not from the flags: those may be what could not be read.
const isForProgram = (argv: readonly string[]): boolean =>
  argv.some((word) => word === '--json' || word.startsWith('--json=') || word === '--ndjson')

const isHelp = ({ exitCode, code }: CommanderError): boolean => exitCode === 0 || code === 'commander.help'

/** What commander says, in our words: exit 2, and the nearest name or the help of the command that was meant. */
function misuse({ message }: CommanderError, program: Command, argv: readonly string[]): Refusal {
  const [sentence = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const nearest = suggestion?.replace(/^\(Did you mean (?:one of )?(.*)\?\)$/, '$1')
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1)
  return usage(text, nearest ? `Did you mean ${nearest}?` : `${pathOf(program, argv)} --help`)
}

function pathOf(program: Command, argv: readonly string[]): string {
  const words = argv.filter((word) => !word.startsWith('-'))
  const known = words.findIndex((_, index) => !commandAt(program, words.slice(0, index + 1)))
  return ['postern', ...(known < 0 ? words : words.slice(0, known))].join(' ')
}
