import { isRedirectError, type RedirectError, redirectErrors } from '../../../shared/errors.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'

/** Explains why the service refused a mailed link; returns other errors unchanged. */
export function describeLinkError(error: unknown, hintOf: (word: RedirectError) => string): CliError {
  const cliError = toCliError(error)
  const word = cliError.message.replace(' ', '_')
  if (!isRedirectError(word)) return cliError
  const { exitCode, code, status } = cliError
  return new CliError(exitCode, redirectErrors[word], { code, status, hint: hintOf(word), cause: error })
}
