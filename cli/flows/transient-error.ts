import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

const transientCodes: ReadonlySet<ExitCode> = new Set([exitCodes.network, exitCodes.server, exitCodes.rateLimited])

/** Whether trying again later may succeed. */
export const isTransient = ({ exitCode }: CliError): boolean => transientCodes.has(exitCode)

/** Returns transient errors, and throws all others. */
export function transientError(error: unknown): CliError {
  const cliError = toCliError(error)
  if (isTransient(cliError)) return cliError
  throw error
}
