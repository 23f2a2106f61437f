import * as z from 'zod'
import { date } from '../entities.ts'
import { call } from './call.ts'

const clientId = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'printable characters without spaces, at most 128')
const printable = z.string().regex(/^[\x20-\x7e]{1,512}$/, 'printable characters, at most 512')

/**
 * Only the requesting machine itself: a loopback address, never a name that another machine could answer to (RFC 8252,
 * 7.3 and 8.3).
 */
const loopback = z
  .string()
  .regex(
    /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{0,4}\/[A-Za-z0-9_\-./]{0,128}$/,
    'a page like http://127.0.0.1:49152/ or http://[::1]:49152/done',
  )

const fromPrograms = { method: 'POST', access: 'anyone', body: 'any', inputRefusal: 'OAUTH_INPUT_INVALID' } as const

/**
 * Starts a sign-in that is completed in a browser (RFC 8628). The page offers `provider` first. With a `code_challenge`
 * (RFC 7636, S256) polling requires its verifier. With a `redirect_uri` the browser returns there after the approval
 * with a `code`, which polling then requires too, so a remote attacker without a port on the approver's machine gets
 * nothing. The session has the label of the device that started it.
 */
export const startDevice = call({
  ...fromPrograms,
  path: '/device/code',
  summary: 'Start a sign-in that is completed in a browser',
  input: z.object({
    client_id: clientId,
    scope: printable.optional(),
    provider: z
      .string()
      .regex(/^[a-z0-9_-]{1,64}$/, 'the id of a provider')
      .optional(),
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/, 'the base64url text of a SHA-256')
      .optional(),
    code_challenge_method: z.enum(['S256']).optional(),
    redirect_uri: loopback.optional(),
    state: printable.optional(),
  }),
  output: z.object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number(),
    interval: z.number(),
  }),
  failures: ['OAUTH_INPUT_INVALID', 'DEVICE_CLIENT_UNKNOWN', 'DEVICE_PROVIDER_UNKNOWN'],
  takesLabel: true,
})

/**
 * Returns a session once, to the device that started. Each poll that comes too soon makes the interval 5 seconds
 * longer.
 */
export const pollDevice = call({
  ...fromPrograms,
  path: '/device/token',
  summary: 'Ask whether the sign-in was approved, and take the session',
  input: z.object({
    grant_type: z.string(),
    device_code: z.string(),
    client_id: clientId,
    code_verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/, '43 to 128 letters, digits, -, ., _ and ~')
      .optional(),
    code: z.string().optional(),
  }),
  output: z.object({
    access_token: z.string(),
    token_type: z.enum(['Bearer']),
    expires_in: z.number(),
    scope: z.string(),
  }),
  failures: [
    'OAUTH_INPUT_INVALID',
    'DEVICE_GRANT_TYPE_UNKNOWN',
    'DEVICE_GRANT_CLIENT_UNKNOWN',
    'DEVICE_CODE_UNKNOWN',
    'DEVICE_CLIENT_MISMATCH',
    'DEVICE_VERIFIER_WRONG',
    'DEVICE_REDIRECT_CODE_WRONG',
    'DEVICE_POLLED_TOO_SOON',
    'DEVICE_PENDING',
    'DEVICE_CODE_EXPIRED',
    'DEVICE_DENIED',
  ],
})

/**
 * For an application with its own page. The first session that views the request is bound to it: only that session sees
 * the details, and only it can decide.
 */
export const viewDevice = call({
  method: 'GET',
  path: '/device',
  summary: 'View the sign-in of a user code, and bind it to this session',
  access: 'visitor',
  isGuarded: true,
  inputRefusal: 'OAUTH_INPUT_INVALID',
  input: z.object({ user_code: z.string() }),
  output: z.object({
    user_code: z.string(),
    status: z.enum(['pending', 'approved', 'denied']),
    client_id: z.string().optional(),
    scope: z.string().optional(),
    ip_address: z.string().optional(),
    user_agent: z.string().optional(),
    label: z.string().optional(),
    created_at: date.optional(),
  }),
  failures: ['OAUTH_INPUT_INVALID', 'USER_CODE_UNKNOWN', 'USER_CODE_EXPIRED'],
})

const decision = {
  method: 'POST',
  access: 'visitor',
  inputRefusal: 'OAUTH_INPUT_INVALID',
  input: z.object({ userCode: z.string() }),
  /** `redirect_uri`: where to redirect the browser, if the request named a page. */
  output: z.object({ success: z.boolean(), redirect_uri: z.string().optional() }),
} as const

const refusals = [
  'OAUTH_INPUT_INVALID',
  'DEVICE_UNAUTHORIZED',
  'USER_CODE_UNKNOWN',
  'USER_CODE_EXPIRED',
  'DEVICE_DECIDED',
  'DEVICE_NOT_CLAIMED',
] as const

export const approveDevice = call({
  ...decision,
  path: '/device/approve',
  summary: 'Approve the sign-in that is bound to this session',
  failures: [...refusals, 'DEVICE_APPROVAL_FORBIDDEN', 'EMAIL_NOT_VERIFIED'],
})

export const denyDevice = call({
  ...decision,
  path: '/device/deny',
  summary: 'Refuse the sign-in that is bound to this session',
  failures: [...refusals, 'DEVICE_DENIAL_FORBIDDEN'],
})
