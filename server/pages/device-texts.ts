import { type FailureName, redirectErrors } from '../../shared/errors.ts'

/** The device page's sentences for failures that the person can correct there. Any other failure ends the attempt. */
export const deviceSentences: { readonly [name in FailureName]?: (retryAfter: number | undefined) => string } = {
  USER_CODE_UNKNOWN: () => 'No sign-in is waiting for this code. Compare it with the code on the other machine.',
  USER_CODE_EXPIRED: () => 'This code has expired. Start again on the other machine.',
  DEVICE_DECIDED: () => 'This sign-in was already approved or refused. If that was not you, check your sessions.',
  DEVICE_APPROVAL_FORBIDDEN: () =>
    'This code was entered in another browser and can only be answered there. If that was not you, start again on the other machine.',
  DEVICE_UNAUTHORIZED: () => 'You are no longer signed in here. Sign in another way.',
  WRONG_EMAIL_OR_PASSWORD: () => 'The email address or the password is wrong.',
  INVALID_EMAIL: () => 'This is not an email address.',
  EMAIL_NOT_VERIFIED: () =>
    'This address is not verified yet. Open the link in the mail that we just sent, then try again.',
  BANNED_USER: () => 'This account has been banned.',
  SESSION_NOT_CREATED_AT_SIGN_IN: () => 'The account was changed meanwhile. Try again.',
  PROVIDER_NOT_FOUND: () => 'This provider is not configured here. Choose another way to sign in.',
  INVALID_BODY: () => 'This did not work. Choose another way to sign in.',
  ONE_TAP_TOKEN_INVALID: () => 'The response from Google could not be used. Try again.',
  ONE_TAP_EMAIL_MISSING: () => redirectErrors.email_not_found,
  ACCOUNT_NOT_LINKED: () => redirectErrors.account_not_linked,
  ACCOUNT_LINK_FAILED: () => redirectErrors.unable_to_link_account,
  SIGN_UP_DISABLED: () => redirectErrors.signup_disabled,
  USER_NOT_CREATED: () => redirectErrors.unable_to_create_user,
  SESSION_NOT_CREATED: () => redirectErrors.unable_to_create_session,
  TOO_MANY_REQUESTS: (seconds) => `Too many attempts. Try again in ${durationInWords(seconds)}.`,
  SERVICE_UNAVAILABLE: (seconds) => `The service is busy. Try again in ${durationInWords(seconds)}.`,
}

/** Rounded up, so that somebody who returns then is let in. */
export function durationInWords(seconds = 10): string {
  const [count, unit] = seconds <= 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
