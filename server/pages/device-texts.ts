import type { FailureName } from '../../shared/errors.ts'
import { fill, type Words, waitText, wordsOf } from '../languages/words.ts'
import { redirectSentence } from './sentence.ts'

/** Failures whose sentence is that of a redirect's error code. */
const likeRedirects: { readonly [name in FailureName]?: keyof Words['redirect'] } = {
  BANNED_USER: 'banned',
  ONE_TAP_EMAIL_MISSING: 'email_not_found',
  ACCOUNT_NOT_LINKED: 'account_not_linked',
  ACCOUNT_LINK_FAILED: 'unable_to_link_account',
  SIGN_UP_DISABLED: 'signup_disabled',
  USER_NOT_CREATED: 'unable_to_create_user',
  SESSION_NOT_CREATED: 'unable_to_create_session',
}

type DeviceFailure = keyof Words['device']['failures']

const hasOwnSentence = (failure: string): failure is DeviceFailure =>
  Object.hasOwn(wordsOf('en').device.failures, failure)

/** Whether the person can correct the failure on the page. Any other failure ends the attempt. */
export const isDeviceFailure = (failure: FailureName): boolean =>
  hasOwnSentence(failure) || likeRedirects[failure] !== undefined

/** `retryAfter`: seconds. */
export function deviceSentence(words: Words, failure: FailureName, retryAfter: number | undefined): string | undefined {
  if (hasOwnSentence(failure)) return fill(words.device.failures[failure], { wait: waitText(words, retryAfter) })
  const code = likeRedirects[failure]
  return code && redirectSentence(words, code)
}
