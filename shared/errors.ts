import { adminErrors } from './admin-errors.ts'
import { deviceErrors } from './device-errors.ts'
import { keyEdgeErrors, keyErrors } from './key-errors.ts'

/**
 * What a failure means to whoever made the call, whatever its status: exit codes, hints and screens go by it. `signed-out`:
 * they have not proven who they are, by a session or by a password. `rejected`: the input, or a link or token in it, is not
 * acceptable. `server`: the service failed, and the same call may work later. `pending`: a person has not decided yet.
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

/**
 * The error catalogue: our own unique name → HTTP status and the sentence that is sent. The wire code is derived from the
 * sentence, unless `code` is given; `body` says where something else than `{code, message}` is sent: `oauth` is
 * `{error, error_description}` (RFC 6749, 5.2).
 */
interface Entry {
  readonly status: number
  readonly kind: FailureKind
  readonly message: string
  readonly code?: string
  readonly body?: 'empty' | 'message' | 'oauth'
}

const account = {
  EMAIL_PASSWORD_OFF: { status: 400, kind: 'rejected', message: 'Email and password is not enabled' },
  SIGN_UP_OFF: { status: 400, kind: 'rejected', message: 'Email and password sign up is not enabled' },
  INVALID_EMAIL: { status: 400, kind: 'rejected', message: 'Invalid email' },
  WRONG_EMAIL_OR_PASSWORD: { status: 401, kind: 'signed-out', message: 'Invalid email or password' },
  EMAIL_NOT_VERIFIED: { status: 403, kind: 'forbidden', message: 'Email not verified' },
  PASSWORD_TOO_SHORT: { status: 400, kind: 'rejected', message: 'Password too short' },
  PASSWORD_TOO_LONG: { status: 400, kind: 'rejected', message: 'Password too long' },
  PASSWORD_TOO_COMMON: { status: 400, kind: 'rejected', message: 'Password too common' },
  WRONG_PASSWORD: { status: 400, kind: 'signed-out', message: 'Invalid password' },
  USER_EXISTS: { status: 422, kind: 'conflict', message: 'User already exists' },
  SESSION_NOT_CREATED_AT_SIGN_IN: { status: 401, kind: 'signed-out', message: 'Failed to create session' },
  NO_SESSION_TO_END: { status: 400, kind: 'signed-out', message: 'Failed to get session' },
  // The sentence of a missing session, and yet an outage: it must not look like a sign-out.
  SESSION_NOT_READ: { status: 500, kind: 'server', message: 'Failed to get session' },
  SESSION_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Session not found' },
  SESSION_NOT_FRESH: { status: 403, kind: 'signed-out', message: 'Session is not fresh' },
  SESSION_TOO_OLD: {
    status: 400,
    kind: 'signed-out',
    message: 'Session expired. Re-authenticate to perform this action.',
  },
  USER_NOT_FOUND: { status: 400, kind: 'not-found', message: 'User not found' },
  USER_NOT_FOUND_UNAUTHORIZED: { status: 401, kind: 'not-found', message: 'User not found' },
  VERIFICATION_EMAIL_OFF: { status: 400, kind: 'rejected', message: "Verification email isn't enabled" },
  RESET_PASSWORD_OFF: { status: 400, kind: 'rejected', message: "Reset password isn't enabled" },
  CHANGE_EMAIL_OFF: { status: 400, kind: 'rejected', message: 'Change email is disabled' },
  RESET_TOKEN_INVALID: { status: 400, kind: 'rejected', message: 'invalid token' },
  DELETE_USER_OFF: { status: 404, kind: 'not-found', message: 'Account deletion is disabled', body: 'empty' },
  DELETE_TOKEN_INVALID: { status: 404, kind: 'rejected', message: 'invalid token' },
  // A mailed link says nothing about a session, whatever the status.
  LINK_TOKEN_INVALID: { status: 401, kind: 'rejected', message: 'invalid_token' },
  LINK_TOKEN_EXPIRED: { status: 401, kind: 'rejected', message: 'token_expired' },
  LINK_USER_NOT_FOUND: { status: 401, kind: 'not-found', message: 'user_not_found' },
  LINK_UNAUTHORIZED: { status: 401, kind: 'signed-out', message: 'unauthorized' },
  CREDENTIAL_ACCOUNT_NOT_FOUND: { status: 400, kind: 'rejected', message: 'Credential account not found' },
  PASSWORD_ALREADY_SET: { status: 400, kind: 'rejected', message: 'user already has a password' },
  EMAIL_UNCHANGED: { status: 400, kind: 'rejected', message: 'Email is the same' },
  EMAIL_NOT_AVAILABLE: { status: 400, kind: 'conflict', message: "Couldn't update your email" },
  EMAIL_NOT_EDITABLE: { status: 400, kind: 'rejected', message: 'Email can not be updated' },
  PROVIDER_NOT_FOUND: { status: 404, kind: 'not-found', message: 'Provider not found' },
  ID_TOKEN_NOT_SUPPORTED: { status: 404, kind: 'rejected', message: 'id_token not supported' },
  // The catalogue of the wire has no other status for these, though nobody is signed out by them.
  ID_TOKEN_INVALID: { status: 401, kind: 'rejected', message: 'invalid token' },
  USER_INFO_NOT_READ: { status: 401, kind: 'not-found', message: 'Failed to get user info' },
  USER_EMAIL_NOT_FOUND: { status: 401, kind: 'rejected', message: 'User email not found' },
  ACCOUNT_NOT_LINKED: { status: 401, kind: 'rejected', message: 'account not linked' },
  ACCOUNT_LINK_FAILED: { status: 401, kind: 'rejected', message: 'unable to link account' },
  SIGN_UP_DISABLED: { status: 401, kind: 'rejected', message: 'signup disabled' },
  USER_NOT_CREATED: { status: 401, kind: 'rejected', message: 'unable to create user' },
  SESSION_NOT_CREATED: { status: 401, kind: 'rejected', message: 'unable to create session' },
  LAST_ACCOUNT: { status: 400, kind: 'conflict', message: "You can't unlink your last account" },
  ACCOUNT_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Account not found' },
  USER_OR_SESSION_REQUIRED: { status: 400, kind: 'rejected', message: 'Either userId or session is required' },
  PROVIDER_NOT_SUPPORTED: { status: 400, kind: 'rejected', message: 'Provider {field} is not supported.' },
  PROVIDER_NOT_CONFIGURED: { status: 400, kind: 'not-found', message: 'Provider {field} not found.' },
  PROVIDER_WITHOUT_REFRESH: {
    status: 400,
    kind: 'rejected',
    message: 'Provider {field} does not support token refreshing.',
  },
  ACCESS_TOKEN_NOT_REFRESHED: { status: 400, kind: 'rejected', message: 'Failed to refresh access token' },
  ACCESS_TOKEN_NOT_VALID: { status: 400, kind: 'rejected', message: 'Failed to get a valid access token' },
  ONE_TAP_TOKEN_INVALID: { status: 400, kind: 'rejected', message: 'invalid id token' },
  ONE_TAP_EMAIL_MISSING: { status: 400, kind: 'rejected', message: 'Email not available in token' },
  ONE_TAP_USER_NOT_FOUND: { status: 404, kind: 'not-found', message: 'User not found' },
  ONE_TAP_NOT_LINKED: { status: 401, kind: 'rejected', message: "Google sub doesn't match" },
  ONE_TAP_USER_NOT_CREATED: { status: 500, kind: 'server', message: 'Could not create user' },
  USER_INFO_NOT_FOUND: { status: 404, kind: 'not-found', message: 'Failed to get user info' },
  BANNED_USER: {
    status: 403,
    kind: 'forbidden',
    code: 'BANNED_USER',
    message: 'You have been banned from this application. Please contact support if you believe this is an error.',
  },
} as const satisfies Record<string, Entry>

const organization = {
  ORGANIZATION_CREATION_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to create a new organization',
  },
  ORGANIZATION_LIMIT_REACHED: {
    status: 403,
    kind: 'conflict',
    message: 'You have reached the maximum number of organizations',
  },
  ORGANIZATION_EXISTS: { status: 400, kind: 'conflict', message: 'Organization already exists' },
  ORGANIZATION_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Organization not found' },
  // An organization of others is as if it were not there, whatever the status.
  NOT_A_MEMBER: { status: 400, kind: 'not-found', message: 'User is not a member of the organization' },
  NOT_A_MEMBER_FORBIDDEN: { status: 403, kind: 'not-found', message: 'User is not a member of the organization' },
  NOT_A_MEMBER_UNAUTHORIZED: { status: 401, kind: 'not-found', message: 'User is not a member of the organization' },
  ORGANIZATION_UPDATE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to update this organization',
  },
  ORGANIZATION_DELETE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to delete this organization',
  },
  ORGANIZATION_DELETION_OFF: {
    status: 403,
    kind: 'forbidden',
    message: 'Organization deletion is disabled',
    body: 'empty',
  },
  NO_ACTIVE_ORGANIZATION: { status: 400, kind: 'not-found', message: 'No active organization' },
  MEMBER_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Member not found' },
  TEAM_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Team not found' },
  ROLE_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Role not found' },
  ONLY_OWNER: { status: 400, kind: 'conflict', message: 'You cannot leave the organization as the only owner' },
  MEMBER_DELETE_FORBIDDEN: { status: 401, kind: 'forbidden', message: 'You are not allowed to delete this member' },
  INVITATION_CREATE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to invite users to this organization',
  },
  INVITATION_NOT_FOUND: { status: 400, kind: 'not-found', message: 'Invitation not found' },
  INVITATION_NOT_FOUND_FOR_RECIPIENT: { status: 400, kind: 'not-found', message: 'Invitation not found!' },
  NOT_THE_RECIPIENT: { status: 403, kind: 'forbidden', message: 'You are not the recipient of the invitation' },
  INVITATION_CANCEL_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to cancel this invitation',
  },
  INVITER_NOT_A_MEMBER: { status: 400, kind: 'conflict', message: 'Inviter is no longer a member of the organization' },
  INVITATION_NOT_RETRIEVED: { status: 400, kind: 'not-found', message: 'Failed to retrieve invitation' },
  LAST_TEAM: { status: 400, kind: 'conflict', message: 'Unable to remove last team' },
  MEMBERSHIP_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Organization membership limit reached' },
  TEAM_DELETE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to delete teams in this organization',
  },
  TEAM_UPDATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to update this team' },
  ALREADY_A_MEMBER: { status: 400, kind: 'conflict', message: 'User is already a member of this organization' },
  ALREADY_INVITED: { status: 400, kind: 'conflict', message: 'User is already invited to this organization' },
  INVITATION_ROLE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'you are not allowed to invite user with this role',
  },
  INVITATION_LIMIT_REACHED: { status: 403, kind: 'conflict', message: 'Invitation limit reached' },
  EMAIL_VERIFICATION_REQUIRED: {
    status: 403,
    kind: 'forbidden',
    message: 'Email verification required before accepting or rejecting invitation',
  },
  MEMBER_UPDATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to update this member' },
  TEAM_CREATE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to create teams in this organization',
  },
  TEAM_LIMIT_REACHED: { status: 400, kind: 'conflict', message: 'You have reached the maximum number of teams' },
  TEAM_NOT_YOURS_TO_DELETE: { status: 403, kind: 'forbidden', message: 'You are not allowed to delete this team' },
  TEAMS_OFF: { status: 400, kind: 'forbidden', message: 'Teams are not enabled' },
  TEAMS_NOT_YOURS: { status: 403, kind: 'forbidden', message: 'Not a member', body: 'empty' },
  NOT_AUTHENTICATED: { status: 401, kind: 'signed-out', message: 'Not authenticated' },
  ORGANIZATION_ID_REQUIRED: { status: 400, kind: 'not-found', message: 'Organization ID is required' },
  NOT_YOUR_ORGANIZATION: { status: 403, kind: 'not-found', message: 'You are not a member of this organization' },
  SLUG_TAKEN: { status: 400, kind: 'conflict', message: 'slug is taken' },
} as const satisfies Record<string, Entry>

/** Failures of the edge: they belong to every call, so no call lists them. */
const edge = {
  UNAUTHORIZED: { status: 401, kind: 'signed-out', message: 'Unauthorized', body: 'empty' },
  INVALID_BODY: { status: 400, kind: 'rejected', message: 'Invalid body parameters', code: 'VALIDATION_ERROR' },
  INVALID_QUERY: { status: 400, kind: 'rejected', message: 'Invalid query parameters', code: 'VALIDATION_ERROR' },
  NOT_WHILE_IMPERSONATING: { status: 403, kind: 'forbidden', message: 'Not allowed while impersonating' },
  INVALID_ORIGIN: { status: 403, kind: 'forbidden', message: 'Invalid origin' },
  INVALID_REDIRECT_TARGET: { status: 403, kind: 'forbidden', message: 'Invalid {field}' },
  ...keyEdgeErrors,
  NOT_FOUND: { status: 404, kind: 'not-found', message: 'Not found', body: 'empty' },
  PAYLOAD_TOO_LARGE: { status: 413, kind: 'rejected', message: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, kind: 'rejected', message: 'Unsupported media type' },
  TOO_MANY_REQUESTS: {
    status: 429,
    kind: 'rate-limited',
    message: 'Too many requests. Please try again later.',
    body: 'message',
  },
  INTERNAL_SERVER_ERROR: { status: 500, kind: 'server', message: 'Internal server error' },
  SERVICE_UNAVAILABLE: { status: 503, kind: 'server', message: 'Service unavailable' },
} as const satisfies Record<string, Entry>

const audit = {
  AUDIT_LIST_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to list audit events' },
  ACTIVITY_LIST_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to see the activity of this organization',
  },
  ACTIVITY_IMPERSONATED: {
    status: 403,
    kind: 'forbidden',
    message: 'Only the user themselves may see their activity',
  },
} as const satisfies Record<string, Entry>

const admin = adminErrors satisfies Record<string, Entry>
const device = deviceErrors satisfies Record<string, Entry>
const key = keyErrors satisfies Record<string, Entry>
export const catalogue = { ...account, ...organization, ...audit, ...admin, ...device, ...key, ...edge } as const

export type FailureName = keyof typeof catalogue
export type EdgeFailureName = keyof typeof edge
export const edgeFailures: ReadonlySet<string> = new Set(Object.keys(edge))

/** What a new password may be refused for, wherever one is set. */
export const passwordRules = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'] as const

/** Codes that a redirect may carry in `error=`, with the sentence that the error page shows for each. */
export const redirectErrors = {
  token_expired: 'This link has expired. Ask for a new one.',
  invalid_token: 'This link is not valid. Ask for a new one.',
  user_not_found: 'There is no account for this link.',
  unauthorized: 'Sign in with the account that this link was made for, then open it again.',
  couldnt_update_your_email: 'Somebody else uses this address meanwhile. Choose another one.',
  please_restart_the_process: 'This sign-in took too long or was started elsewhere. Start again.',
  invalid_callback_request: 'The provider sent back something that cannot be read. Start again.',
  state_not_found: 'The provider sent no state back. Start again.',
  no_code: 'The provider sent no code back. Start again.',
  oauth_provider_not_found: 'This sign-in provider is not set up.',
  invalid_code: 'The provider did not accept the code. Start again.',
  failed_to_get_user_info: 'Sign in with the account that this link was made for, then open it again.',
  unable_to_get_user_info: 'The provider did not tell who you are. Start again.',
  email_not_found: 'The provider told no email address for you.',
  no_callback_url: 'There is no page to return to. Start again.',
  account_already_linked_to_different_user: 'This provider account belongs to another user.',
  unable_to_link_account:
    'The provider account could not be linked: its email address is not verified, or not that of your account here. Compare them, then start again.',
  internal_server_error: 'Something went wrong on our side. Try again later.',
  account_not_linked: 'An account with this email exists. Sign in the way you did before, then link this provider.',
  signup_disabled: 'New accounts are not accepted here.',
  unable_to_create_user: 'The account could not be created. Try again later.',
  unable_to_create_session: 'You could not be signed in. Try again later.',
  email_not_verified: 'Verify your address first: we have mailed you a link.',
  banned: 'This account has been banned.',
} as const satisfies Record<string, string>
export type RedirectError = keyof typeof redirectErrors
