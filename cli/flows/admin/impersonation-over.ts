import { type CliError, signedOutError } from '../../output/cli-error.ts'

export const wayBack = 'Back to your own session: postern admin impersonation stop'

/** Signing in would be no help: the account's own session is there, and waits. */
export const impersonationOver = (email: string): CliError =>
  signedOutError(`The impersonation of ${email} is over`, wayBack)
