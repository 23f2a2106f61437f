import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

const passingCodes: ReadonlySet<ExitCode> = new Set([exitCodes.network, exitCodes.server, exitCodes.rateLimited])

/** Whether trying again later may succeed. */
export const canPass = ({ exitCode }: CliError): boolean => passingCodes.has(exitCode)

/** Returns errors that can pass, and throws all others. */
export function passingError(error: unknown): CliError {
  const cliError = toCliError(error)
  if (canPass(cliError)) return cliError
  throw error
}
