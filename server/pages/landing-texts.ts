import type { FailureName } from '../../shared/errors.ts'
import { durationText, fill, type Words, wordsOf } from '../languages/words.ts'

/** The commands that do the next step of a landing page in a terminal. */
interface LandingCommands {
  readonly done?: string
  readonly failed: string
  /** When the browser is not signed in: a terminal may be. */
  readonly signedOut?: string
}

export type LandingName = keyof Words['landings']

const verifyByToken = 'postern account email verify'
const requestLink = 'postern account email verify --send'
const changeAddress = 'postern account email set NEW_ADDRESS'

/** What the pages that mailed links lead to propose. */
export const landingCommands: Readonly<Record<LandingName, LandingCommands>> = {
  verified: { done: 'postern sign-in', failed: requestLink, signedOut: verifyByToken },
  emailChanged: { done: requestLink, failed: changeAddress, signedOut: verifyByToken },
  signUpRemoved: { failed: 'postern account password forgot' },
  /** The same where addresses have to be verified: nothing has changed yet. */
  emailAgreed: { done: changeAddress, failed: changeAddress, signedOut: verifyByToken },
  deleted: { failed: 'postern account delete', signedOut: 'postern account delete --token-file -' },
  reset: { done: 'postern sign-in', failed: 'postern account password forgot' },
}

/** Numbers that the sentences mention. */
interface SentenceNumbers {
  readonly min: number
  readonly max: number
  /** Seconds to wait. Undefined when waiting does not help. */
  readonly retryAfter: number | undefined
}

/** The form's sentence for a failure that the person can correct there. Any other failure ends the attempt. */
export function formSentence(
  words: Words,
  failure: FailureName,
  { min, max, retryAfter }: SentenceNumbers,
): string | undefined {
  const { failures, interrupted } = words.password
  if (failure === 'SERVICE_UNAVAILABLE' && retryAfter === undefined) return interrupted
  const values = { min, max, wait: durationText(words, retryAfter ?? 10) }
  return isFormFailure(failure) ? fill(failures[failure], values) : undefined
}

type FormFailure = keyof Words['password']['failures']

type OpenedFailure = keyof Words['opened']['failures']

export const isOpenedFailure = (failure: string): failure is OpenedFailure =>
  Object.hasOwn(wordsOf('en').opened.failures, failure)

export const isFormFailure = (failure: string): failure is FormFailure =>
  Object.hasOwn(wordsOf('en').password.failures, failure)
