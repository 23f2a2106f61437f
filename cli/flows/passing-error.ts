import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

const passingCodes: ReadonlySet<ExitCode> = new Set([exitCodes.network, exitCodes.server, exitCodes.rateLimited])

/** Returns errors that can pass, and throws all others. */
export function passingError(error: unknown): CliError {
  const cliError = toCliError(error)
  if (passingCodes.has(cliError.exitCode)) return cliError
  throw error
}
