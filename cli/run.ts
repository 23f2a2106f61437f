import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { detachJson } from './argv/flags.ts'
import { scopedHint } from './argv/scoped-hint.ts'
import { toUsageError } from './argv/usage-error.ts'
import type { Context } from './context.ts'
import { withReadyLine } from './local/ready-line.ts'
import { CliError } from './output/cli-error.ts'
import { errorJson, errorText, toCliError } from './output/error-report.ts'
import { createProgram } from './program.ts'

/** Runs one command line to its exit code; whatever went wrong has been said on stderr. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const program = await createProgram(context, argv)
  try {
    await program.parseAsync(detachJson(argv), { from: 'user' })
    return context.exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(error, argv, context)
    return isHelp(error) ? exitCodes.done : report(toUsageError(error, program, argv), argv, context)
  }
}

function report(error: unknown, argv: readonly string[], context: Context): ExitCode {
  const cliError = inScope(withReadyLine(toCliError(error), argv), context)
  const { stderr } = context.host
  stderr.write(isForProgram(argv) ? errorJson(cliError) : errorText(cliError, context.out.style.page.paint))
  if (argv.includes('--debug') && error instanceof Error) stderr.write(`${error.stack}\n`)
  return cliError.exitCode
}

/** What comes next is done where, and as whom, this was. */
function inScope(error: CliError, { flags }: Context): CliError {
  const { exitCode, message, hint, code, status, details, fields, cause } = error
  if (hint === undefined) return error
  const scoped = scopedHint(hint, flags, fields)
  return new CliError(exitCode, message, { code, status, details, fields, cause, hint: scoped })
}

// From argv, not from the flags: those may be what could not be read.
const isForProgram = (argv: readonly string[]): boolean =>
  argv.some((word) => word === '--json' || word.startsWith('--json=') || word === '--ndjson')

const isHelp = ({ exitCode, code }: CommanderError): boolean => exitCode === 0 || code === 'commander.help'
