/** A refusal as OAuth words it: its own code, and the sentence as a description. */
const oauth = <const Code extends string, const Kind extends string, const Sentence extends string>(
  code: Code,
  kind: Kind,
  message: Sentence,
) => ({ status: 400, kind, code, message, body: 'oauth' }) as const

/** The refusals of device sign-ins, a part of the error catalogue. */
export const deviceErrors = {
  OAUTH_INPUT_INVALID: oauth('invalid_request', 'rejected', 'Invalid parameters'),
  DEVICE_CLIENT_UNKNOWN: oauth('invalid_client', 'rejected', 'Invalid client ID'),
  DEVICE_PROVIDER_UNKNOWN: oauth('invalid_request', 'rejected', 'Provider not found'),
  DEVICE_GRANT_TYPE_UNKNOWN: oauth('unsupported_grant_type', 'rejected', 'Unsupported grant type'),
  DEVICE_GRANT_CLIENT_UNKNOWN: oauth('invalid_grant', 'rejected', 'Invalid client ID'),
  DEVICE_CODE_UNKNOWN: oauth('invalid_grant', 'rejected', 'Invalid device code'),
  DEVICE_CLIENT_MISMATCH: oauth('invalid_grant', 'rejected', 'Client ID mismatch'),
  DEVICE_VERIFIER_WRONG: oauth('invalid_grant', 'rejected', 'Invalid code verifier'),
  DEVICE_REDIRECT_CODE_WRONG: oauth('invalid_grant', 'rejected', 'Invalid code'),
  DEVICE_POLLED_TOO_SOON: oauth('slow_down', 'pending', 'Polling too frequently'),
  DEVICE_PENDING: oauth('authorization_pending', 'pending', 'Authorization pending'),
  DEVICE_CODE_EXPIRED: oauth('expired_token', 'signed-out', 'Device code has expired'),
  DEVICE_DENIED: oauth('access_denied', 'forbidden', 'Access denied'),
  DEVICE_DENIED_BY_PROVIDER: oauth('denied_by_provider', 'forbidden', 'The provider said no'),
  USER_CODE_UNKNOWN: oauth('invalid_request', 'rejected', 'Invalid user code'),
  USER_CODE_EXPIRED: oauth('expired_token', 'signed-out', 'User code has expired'),
  DEVICE_DECIDED: oauth('invalid_request', 'rejected', 'Device code already processed'),
  DEVICE_NOT_CLAIMED: oauth('invalid_request', 'rejected', 'Look at the device code before you decide'),
  DEVICE_UNAUTHORIZED: { ...oauth('unauthorized', 'signed-out', 'Authentication required'), status: 401 },
  DEVICE_APPROVAL_FORBIDDEN: {
    ...oauth('access_denied', 'forbidden', 'You are not authorized to approve this device authorization'),
    status: 403,
  },
  DEVICE_DENIAL_FORBIDDEN: {
    ...oauth('access_denied', 'forbidden', 'You are not authorized to deny this device authorization'),
    status: 403,
  },
} as const
