import { redirectErrors } from '../../../shared/errors.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'

type LinkError = keyof typeof redirectErrors

/** Explains why the service refused a mailed link; returns other errors unchanged. */
export function describeLinkError(error: unknown, hintOf: (word: LinkError) => string): CliError {
  const cliError = toCliError(error)
  const word = cliError.message.replace(' ', '_')
  if (!isLinkError(word)) return cliError
  const { exitCode, code, status } = cliError
  return new CliError(exitCode, redirectErrors[word], { code, status, hint: hintOf(word), cause: error })
}

const isLinkError = (word: string): word is LinkError => Object.hasOwn(redirectErrors, word)
