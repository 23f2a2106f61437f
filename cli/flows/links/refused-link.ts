import { redirectErrors } from '../../../shared/errors.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal } from '../../output/refusal.ts'

type LinkError = keyof typeof redirectErrors

/** A mailed link that the service refused, in words for people; any other failure stays as it is. */
export function refusedLink(error: unknown, hintOf: (word: LinkError) => string): Refusal {
  const refusal = refusalFrom(error)
  const word = refusal.message.replace(' ', '_')
  if (!isLinkError(word)) return refusal
  const { exitCode, code, status } = refusal
  return new Refusal(exitCode, redirectErrors[word], { code, status, hint: hintOf(word), cause: error })
}

const isLinkError = (word: string): word is LinkError => Object.hasOwn(redirectErrors, word)
