import { exitCodes } from '../../../shared/exit-codes.ts'
import { type ByCode, findByCode } from '../../../shared/failure.ts'
import { confirmDeletion, deleteAccount } from '../../flows/account/deletion.ts'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { signIn } from '../../flows/auth/sign-in.ts'
import { changeEmail, sendVerification, verifyEmail } from '../../flows/email/addresses.ts'
import { flagOf } from '../../flows/field.ts'
import { needsVerification } from '../../flows/invitation/invitations.ts'
import { forgotPassword, resetPassword } from '../../flows/password/passwords.ts'
import { sessionList } from '../../flows/session/sessions.ts'
import { CliError, problemText } from '../../output/cli-error.ts'
import { limitText, toCliError } from '../../output/error-report.ts'
import { withFullStop } from '../../output/words.ts'

/** The form that fixes a failure. */
export type FormOffer =
  | { readonly form: 'verification' }
  | { readonly form: 'sign-in'; readonly email: string; readonly server: string }

/** A failure for the user: what happened, what to do next, and details. */
export interface ShownError {
  readonly sentence: string
  readonly hint: string | undefined
  /** HTTP status, if the service answered. */
  readonly status: number | undefined
  readonly offer?: FormOffer | undefined
  readonly details: readonly (readonly [label: string, value: string])[]
}

/**
 * The screen's hint by error code, in place of one that names a command. It names no key but the
 * numbers of the main screens: others can be changed, and the conversation has none.
 */
const hintsByCode: ByCode<string> = {
  INVALID_EMAIL_OR_PASSWORD: 'Check both and try again, or create an account.',
  USER_ALREADY_EXISTS: 'Sign in with this address, or use another one.',
  SESSION_NOT_FOUND: 'It has already ended.',
  EMAIL_NOT_VERIFIED: 'A mail with a link is on its way to you. Verify the address with it, then sign in again.',
  SESSION_IS_NOT_FRESH: 'Confirm your identity: sign in again (2 lists the accounts), then repeat this.',
  SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION:
    'Confirm your identity: enter the password, or sign in again (2 lists the accounts).',
  COULDNT_UPDATE_YOUR_EMAIL: 'Choose another address: this one belongs to an account.',
  EMAIL_IS_THE_SAME: 'Choose another address.',
  INVALID_PASSWORD: 'Check your current password and try again.',
  PASSWORD_TOO_SHORT: 'Choose a longer one.',
  PASSWORD_TOO_LONG: 'Choose a shorter one.',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
    'Verify your address: 4 mails a link to it and accepts the link.',
  ORGANIZATION_ALREADY_EXISTS: 'Choose another slug.',
  ROLE_NOT_FOUND: 'Check the spelling. The Roles tab of an organization lists its roles.',
  SCOPE_NOT_FOUND: 'A scope is `read`, or an action from the Roles tab of an organization, such as invitation:create.',
  ORGANIZATION_NOT_FOUND: 'It may be gone. 5 lists your organizations.',
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 'You may have been removed. 5 lists your organizations.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 'Leave or delete one: 5 lists them.',
  MEMBER_NOT_FOUND: 'The member has left.',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'Your role does not allow this: ask an owner.',
  TEAM_NOT_FOUND: 'It may be gone.',
  INVITATION_NOT_FOUND: 'It was answered or cancelled, or has expired.',
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: 'Ask for a new invitation.',
  INVITER_CAN_NO_LONGER_INVITE_WITH_THIS_ROLE: 'Ask for a new invitation.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'The list of members gives other roles.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'The list of invitations mails it again.',
  INVITATION_LIMIT_REACHED: 'Cancel some first.',
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
    'An organization needs an owner. Make somebody else an owner first.',
  UNABLE_TO_REMOVE_LAST_TEAM: 'Create another one first.',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'This account has no password yet. “Forgot the password” (2) sets one by mail.',
}

const offers: ByCode<FormOffer> = {
  EMAIL_NOT_VERIFIED: { form: 'verification' },
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: { form: 'verification' },
}

const sessionOverHint = 'Your session is over. Sign in again: 2 lists the accounts.'

export function toShownError(error: unknown): ShownError {
  const failure = toCliError(error)
  const { message, code, status, problems } = failure
  return {
    sentence: [message, problems.map(problemText).join('; ')].filter(Boolean).join(': '),
    // This program's own errors carry their hint.
    hint: error instanceof CliError ? error.hint && toScreenHint(error.hint) : hintOf(failure),
    status,
    offer: findByCode(offers, code),
    details: [['Code', code], ...(status === undefined ? [] : [['Status', String(status)] as const])],
  }
}

/** Named fields need no hint, and a screen has no --help. */
function hintOf({ code, exitCode, hint, problems }: CliError): string | undefined {
  if (problems.length > 0) return undefined
  return findByCode(hintsByCode, code) ?? (exitCode === exitCodes.signedOut ? sessionOverHint : hint)
}

/** Whether the service answered with a refusal: neither a failure to answer, a rate limit, nor an ended session. */
export const isRefusal = ({ status = 500 }: Pick<ShownError, 'status'>): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429

/** A refusal in one line, to be shown beside the refused value: with the limit, otherwise with the hint. */
export function refusalText(error: unknown): string {
  const { sentence, hint } = toShownError(error)
  const said = limitText(toCliError(error)) ?? hint
  return said ? `${withFullStop(sentence)} ${said}` : sentence
}

export const showsNeedOfVerification = ({ details }: Pick<ShownError, 'details'>): boolean =>
  details.some(([, value]) => needsVerification(value))

/** The beginning of every command of the flow. */
const lineOf = ({ command }: { readonly command: string }): string => `postern ${command}`

/** Hints for screens, by the command that the original hint mentions. More specific ones come first. */
const hints: readonly (readonly [mention: string, said: string])[] = [
  ['from stdin', 'Copy the whole link from the mail.'],
  ['--url', 'Choose the server that sent the mail.'],
  [lineOf(sendVerification), 'Ask for a new mail: 2 has a form for it.'],
  [lineOf(verifyEmail), 'It verifies or changes an address: 2 has a form for it.'],
  [lineOf(changeEmail), 'Change the address again: press 4.'],
  [lineOf(forgotPassword), '“Forgot the password” (2) mails a new one.'],
  [lineOf(resetPassword), 'It sets a new password: 2 has a form for it.'],
  [flagOf(confirmDeletion.fields.link), 'It deletes an account: 4 has a form for it.'],
  [lineOf(deleteAccount), '“Delete the account” (4) mails a new one.'],
  [lineOf(sessionList), 'Revoke it from another session: 3 lists the sessions.'],
  ['This provider is not set up', 'This provider is not set up: ask the operator of the service.'],
  ['The sign-in page lists its providers', 'Without a provider, the sign-in page lists them all.'],
  [lineOf(stopImpersonating), 'Stop impersonating first: Home offers it.'],
  [lineOf(signIn), '2 lists the accounts and signs in.'],
]

/** Rewrites a hint that names commands for a user who has keys instead. */
export function toScreenHint(hint: string): string {
  const said = hints.find(([mention]) => hint.includes(mention))?.[1]
  if (said === undefined) return hint
  // Keeps a "Did you mean" question, and what there is.
  const [told = ''] = /^(?:Did you mean [^?]+\?|It has [^.]+\.) /.exec(hint) ?? []
  return `${told}${said}`
}
