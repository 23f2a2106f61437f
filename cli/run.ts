import type { ExitCode } from '../shared/exit-codes.ts'
import { scopedHint } from './argv/scoped-hint.ts'
import { type Context, createContext } from './context.ts'
import { CliError } from './output/cli-error.ts'
import { errorJson, errorText, toCliError } from './output/error-report.ts'
import { visible } from './output/filter.ts'
import { parse } from './parse.ts'
import type { Host } from './process/host.ts'

export const runOn = (argv: readonly string[], host: Host): Promise<ExitCode> => run(argv, createContext(host))

/** Runs one command line to its exit code; whatever went wrong has been said on stderr. */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
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
    return complete(argv, context)
  }
  return parse(argv, context)
}

function report(error: unknown, argv: readonly string[], context: Context): ExitCode {
  const cliError = inScope(toCliError(error), context)
  const { stderr } = context.host
  const { page, notesWidth } = context.out.style
  stderr.write(isForProgram(argv) ? errorJson(cliError) : errorText(cliError, page.paint, notesWidth))
  if (argv.includes('--debug') && error instanceof Error) stderr.write(`${shownStack(error)}\n`)
  return cliError.exitCode
}

/** Its first line may be the service's words. */
const shownStack = ({ stack = '' }: Error): string => stack.split('\n').map(visible).join('\n')

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
