import { accountErrors, adminErrors, deviceErrors } from './account-errors.ts'
import { keyEdgeErrors, keyErrors, organizationErrors, roleErrors, webhookErrors } from './organization-errors.ts'

/**
 * What a failure means to the caller, whatever its status. Exit codes, hints and screens depend on it. `signed-out`:
 * the caller has not proved who they are, by a session or by a password. `rejected`: the input, or a link or token in
 * it, is invalid. `server`: the service failed, and the same call may work later. `pending`: a person has not decided
 * yet.
 */
export type FailureKind =
  | 'signed-out'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rejected'
  | 'pending'
  | 'rate-limited'
  | 'server'

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'signed-out',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  429: 'rate-limited',
}

/** The kind of a status where nothing more is known, as for an answer of a hook, a proxy or a newer service. */
export const kindOfStatus = (status: number): FailureKind => (status >= 500 ? 'server' : (kinds[status] ?? 'rejected'))

/**
 * The error catalogue: our own unique name → HTTP status and the message on the wire. The wire code is derived from the
 * message, unless `code` is given. `body` selects another form than `{code, message}`: `oauth` is `{error,
 * error_description}` (RFC 6749, 5.2).
 */
interface Entry {
  readonly status: number
  /** Only where it is not that of the status. */
  readonly kind?: FailureKind
  readonly message: string
  readonly code?: string
  readonly body?: 'empty' | 'oauth'
}

/** Failures that any call can raise, so no call lists them. */
const edge = {
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', body: 'empty' },
  INVALID_BODY: { status: 400, message: 'Invalid body parameters', code: 'VALIDATION_ERROR' },
  INVALID_QUERY: { status: 400, message: 'Invalid query parameters', code: 'VALIDATION_ERROR' },
  NOT_WHILE_IMPERSONATING: {
    status: 403,
    message: 'Not allowed while impersonating: stop impersonating first',
    code: 'NOT_ALLOWED_WHILE_IMPERSONATING',
  },
  INVALID_ORIGIN: { status: 403, message: 'Invalid origin' },
  INVALID_REDIRECT_TARGET: { status: 403, message: 'Invalid {field}' },
  ...keyEdgeErrors,
  NOT_FOUND: { status: 404, message: 'Not found', body: 'empty' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported media type' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests. Please try again later.', code: 'TOO_MANY_REQUESTS' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'Service unavailable' },
} as const

const audit = {
  CURSOR_OF_ANOTHER_DATABASE: {
    status: 409,
    message:
      'The cursor belongs to another copy of the database. List again without it, and use since to see what came meanwhile',
    code: 'CURSOR_OF_ANOTHER_DATABASE',
  },
  AUDIT_LIST_FORBIDDEN: { status: 403, message: 'You are not allowed to list audit events' },
  ACTIVITY_LIST_FORBIDDEN: { status: 403, message: 'You are not allowed to see the activity of this organization' },
} as const

export const catalogue = {
  ...accountErrors,
  ...organizationErrors,
  ...audit,
  ...adminErrors,
  ...deviceErrors,
  ...keyErrors,
  ...roleErrors,
  ...webhookErrors,
  ...edge,
} as const satisfies Record<string, Entry>

export type FailureName = keyof typeof catalogue

export function kindOf(failure: FailureName): FailureKind {
  const { kind, status }: Entry = catalogue[failure]
  return kind ?? kindOfStatus(status)
}

export type EdgeFailureName = keyof typeof edge
export const edgeFailures: ReadonlySet<string> = new Set(Object.keys(edge))

/** Why a new password can be refused, wherever one is set. */
export const passwordRules = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'] as const

/** Codes that a redirect can carry in `error=`, with the sentence that the error page shows. */
export const redirectErrors = {
  token_expired: 'This link has expired. Ask for a new one.',
  invalid_token: 'This link is not valid. Ask for a new one.',
  user_not_found: 'There is no account for this link.',
  unauthorized: 'Sign in with the account that this link was made for, then open it again.',
  couldnt_update_your_email: 'Another user has taken this address meanwhile. Choose another one.',
  the_last_admin_cannot_be_removed:
    'The address makes you the only administrator. Make somebody an administrator by a role first, then open this link again.',
  please_restart_the_process:
    'This sign-in took too long, is already done, or was started elsewhere. Start again if you are not signed in.',
  invalid_callback_request: 'The provider sent back an unreadable answer. Start again.',
  state_not_found: 'The provider sent no state back. Start again.',
  access_denied: 'You declined at the provider, or it refused. Nothing was changed. Start again to try another way.',
  temporarily_unavailable: 'The provider cannot answer at the moment. Try again later.',
  no_code: 'The provider sent no code back. Start again.',
  oauth_provider_not_found: 'This sign-in provider is not set up.',
  invalid_code: 'The provider did not accept the code, or it did not answer. Start again.',
  failed_to_get_user_info: 'Sign in with the account that this link was made for, then open it again.',
  unable_to_get_user_info: 'The provider did not say who you are. Start again.',
  email_not_found: 'The provider gave no email address for you.',
  no_callback_url: 'There is no page to return to. Start again.',
  account_already_linked_to_different_user: 'This provider account belongs to another user.',
  unable_to_link_account:
    'The provider account could not be linked: its email address is not verified or differs from that of your account here, or you are no longer signed in where you began. Check both, then start again.',
  session_is_not_fresh:
    'You signed in too long ago to link an account that does not prove your address here. Sign in again where you began, then repeat the link.',
  link_not_proven: 'Sign in on this page first, to show that you asked for this link. Then continue.',
  internal_server_error: 'Something went wrong on our side. Try again later.',
  account_not_linked: 'An account with this email exists. Sign in the way you did before, then link this provider.',
  signup_disabled: 'This service does not accept new accounts.',
  unable_to_create_user: 'The account could not be created. Try again later.',
  unable_to_create_session: 'You could not be signed in. Try again later.',
  email_not_verified: 'Verify your address first: we have mailed you a link.',
  address_not_proven:
    'The address of this account was verified elsewhere. Ask for another link where you are signed in, and open it there.',
  banned: 'This account has been banned.',
} as const satisfies Record<string, string>
export type RedirectError = keyof typeof redirectErrors
export const isRedirectError = (code: string): code is RedirectError => Object.hasOwn(redirectErrors, code)
