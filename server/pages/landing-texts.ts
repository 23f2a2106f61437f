import type { FailureName } from '../../shared/errors.ts'

/** What to do next, in a terminal. */
interface NextStep {
  readonly say: string
  readonly command: string
}

export interface LandingText {
  readonly heading: string
  readonly said?: string | undefined
  readonly next?: NextStep | undefined
}

/** The texts of a landing page for success and for failure. The redirect's error code gives the reason. */
export interface Landing {
  readonly done: LandingText
  readonly failed: LandingText
  /** Replaces the failure's own step when the browser is not signed in; a terminal may be. */
  readonly signedOut?: NextStep
}

const signIn = (say: string): NextStep => ({ say, command: 'postern sign-in' })
const byToken = 'Or use the token from the mail in a terminal where you are signed in:'
const verifyByToken: NextStep = { say: byToken, command: 'postern account email verify' }
const unchanged: LandingText = {
  heading: 'Your address was not changed',
  next: { say: 'Start again in your terminal:', command: 'postern account email set' },
}

/** The fixed texts of the pages that mailed links lead to. */
export const landings = {
  verified: {
    done: {
      heading: 'Your address is verified',
      next: signIn('You can close this page and sign in from your terminal:'),
    },
    failed: {
      heading: 'Your address is not verified',
      next: { say: 'Request a new link from your terminal:', command: 'postern account email verify --send' },
    },
    signedOut: verifyByToken,
  },
  emailChanged: {
    done: {
      heading: 'Your address was changed',
      said: 'Open the link in the mail to your new address to verify it. From now on, sign in with the new address.',
      next: {
        say: 'If no mail arrives, request one from your terminal:',
        command: 'postern account email verify --send',
      },
    },
    failed: unchanged,
    signedOut: verifyByToken,
  },
  signUpRemoved: {
    done: {
      heading: 'The sign-up was removed',
      said: 'All its data was deleted, and its sessions have ended.',
    },
    failed: {
      heading: 'The sign-up was not removed',
      next: { say: 'Set a new password instead, in your terminal:', command: 'postern account password forgot' },
    },
  },
  /** The same where addresses have to be verified: nothing has changed yet. */
  emailAgreed: {
    done: {
      heading: 'You agreed to the new address',
      said: 'Open the link in the mail to the new address, in a browser where you are signed in. The new address then replaces the old one.',
      next: { say: 'If no mail arrives, start again in your terminal:', command: 'postern account email set' },
    },
    failed: unchanged,
    signedOut: verifyByToken,
  },
  deleted: {
    done: { heading: 'Your account was deleted', said: 'It was deleted with everything that belonged to it.' },
    failed: {
      heading: 'Your account was not deleted',
      next: { say: 'Request a new link from your terminal:', command: 'postern account delete' },
    },
    signedOut: { say: byToken, command: 'postern account delete --token-file -' },
  },
  reset: {
    done: {
      heading: 'Your password was changed',
      said: 'All sessions of your account have ended.',
      next: signIn('Sign in with the new password in your terminal:'),
    },
    failed: {
      heading: 'Your password was not changed',
      next: { say: 'Request a new link from your terminal:', command: 'postern account password forgot' },
    },
  },
} as const satisfies Record<string, Landing>

export type LandingName = keyof typeof landings

/** Numbers that the sentences mention. */
interface SentenceNumbers {
  readonly min: number
  readonly max: number
  /** Seconds to wait. Undefined when waiting does not help. */
  readonly retryAfter: number | undefined
}

/** The form's sentences for failures that the person can correct there. Any other failure ends the attempt. */
export const formSentences: { readonly [name in FailureName]?: (bounds: SentenceNumbers) => string } = {
  INVALID_BODY: () => 'The two passwords are not the same. Type the new one twice.',
  PASSWORD_TOO_SHORT: ({ min }) => `This password is too short: choose one of at least ${min} characters.`,
  PASSWORD_TOO_LONG: ({ max }) => `This password is too long: choose one of at most ${max} characters.`,
  PASSWORD_TOO_COMMON: () => 'This password is too easy to guess. Choose another one.',
  TOO_MANY_REQUESTS: ({ retryAfter }) => `Too many attempts. Nothing was changed. ${afterWaiting(retryAfter)}`,
  SERVICE_UNAVAILABLE: ({ retryAfter }) =>
    retryAfter === undefined
      ? 'The service was interrupted, so the password may or may not be set. Try to sign in with it, or submit the form again.'
      : `The service is busy. Nothing was changed. ${afterWaiting(retryAfter)}`,
}

const afterWaiting = (seconds = 10): string => `Submit the form again in ${seconds} second${seconds === 1 ? '' : 's'}.`
