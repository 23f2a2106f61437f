import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { addGlobalFlags, type Flags, scopeNames, variableOf } from '../argv/flags.ts'
import type { Context } from '../context.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import type { Environment } from '../process/host.ts'
import { runProgram } from '../process/run-program.ts'

/**
 * Runs the extension whose name is the word at `at`. Its environment has the service and the flags before that word.
 */
export async function runExtension(
  context: Context,
  argv: readonly string[],
  { at, path }: { readonly at: number; readonly path: string },
): Promise<number> {
  const flags = scopeBefore(argv.slice(0, at), argv[at] ?? '')
  await context.begin(flags, { form: 'none', fields: {}, examples: [] })
  const { host, settings } = context
  const env = { ...host.env, ...variablesOf(flags), POSTERN_SERVER: settings.address.value.base }
  return runProgram(path, argv.slice(at + 1), env).catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(exitCodes.failure, `${path} cannot be started (${cause.code})`, {
      code: 'EXTENSION_NOT_STARTED',
      hint: 'Is the program in its first line there?',
      cause,
    })
  })
}

/** The flags that select the service and who acts. All others are the extension's own. */
function scopeBefore(words: readonly string[], name: string): Flags {
  const before = addGlobalFlags(new Command())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  const flags = parsed(before, words)
  const foreign = before.options
    .filter((option) => before.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')
    .filter((long) => !scopeNames.some((scope) => long === `--${scope}`))
  if (foreign.length === 0) return flags
  throw usageError(
    `${foreign.join(' and ')} belongs behind ${name}, which is an extension`,
    'Before its name: --url, --profile, --account, --org',
    foreign,
  )
}

function parsed(before: Command, words: readonly string[]): Flags {
  try {
    return before.parse(words, { from: 'user' }).opts<Flags>()
  } catch (error) {
    throw usageError((error as Error).message.replace(/^error: /, ''), 'postern help flags')
  }
}

/** `--account` outranks a token of the environment, but its variable does not, so the program gets no such token. */
const variablesOf = (flags: Flags): Environment => ({
  ...Object.fromEntries(scopeNames.flatMap((name) => (flags[name] ? [[variableOf(`--${name}`), flags[name]]] : []))),
  ...(flags.account && { POSTERN_TOKEN: undefined, POSTERN_TOKEN_FILE: undefined }),
})
