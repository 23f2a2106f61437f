import { CommanderError } from 'commander'
import { detachJson } from './argv/flags.ts'
import { toUsageError } from './argv/usage-error.ts'
import type { Context } from './context.ts'
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
