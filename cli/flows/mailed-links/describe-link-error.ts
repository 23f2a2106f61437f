import { redirectErrors } from '../../../shared/errors.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'

type LinkError = keyof typeof redirectErrors

/** A mailed link that the service refused, in words for people; any other failure stays as it is. */
export function describeLinkError(error: unknown, hintOf: (word: LinkError) => string): CliError {
  const cliError = toCliError(error)
  const word = cliError.message.replace(' ', '_')
  if (!isLinkError(word)) return cliError
  const { exitCode, code, status } = cliError
  return new CliError(exitCode, redirectErrors[word], { code, status, hint: hintOf(word), cause: error })
}

const isLinkError = (word: string): word is LinkError => Object.hasOwn(redirectErrors, word)
