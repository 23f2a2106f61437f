import * as z from 'zod'
import { date, FullUser } from '../entities.ts'
import { done } from './answers.ts'
import { call } from './call.ts'

/** Stored along with the state, as scopes are, so both have a maximum length. */
const target = z.string().max(2048).optional()
/** An id from the list of providers, or the name of a configured OpenID provider. */
const provider = z.string().max(64)
const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/, 'a scope without spaces, at most 128 characters'))
  .max(50)
const loginHint = z.string().max(320)
const providerToken = z.string().max(16_384)
/** Sent to the provider in a header. */
const storedToken = providerToken.regex(/^[\x21-\x7e]*$/, 'a token of visible ASCII characters')
/** What the provider's own software gave the application. */
const idToken = z.object({
  token: providerToken,
  nonce: z.string().optional(),
  accessToken: storedToken.optional(),
  refreshToken: storedToken.optional(),
  expiresAt: z.number().optional(),
})
/** Why an id token identifies nobody. */
const idTokenRefusals = [
  'ID_TOKEN_NOT_SUPPORTED',
  'ID_TOKEN_INVALID',
  'USER_INFO_NOT_READ',
  'USER_EMAIL_NOT_FOUND',
] as const

/** Failures of the sign-in policy for a verified identity, however it was verified. */
const refusals = [
  'ACCOUNT_NOT_LINKED',
  'ACCOUNT_LINK_FAILED',
  'SIGN_UP_DISABLED',
  'USER_NOT_CREATED',
  'SESSION_NOT_CREATED',
  'EMAIL_NOT_VERIFIED',
  'BANNED_USER',
] as const

/** Returns where to send the browser. With an id token from the provider's own software, it signs in at once. */
export const signInSocial = call({
  method: 'POST',
  path: '/sign-in/social',
  summary: 'Start a sign-in with a provider, or sign in with its id token',
  access: 'anyone',
  input: z.object({
    provider,
    callbackURL: target,
    newUserCallbackURL: target,
    errorCallbackURL: target,
    disableRedirect: z.boolean().optional(),
    idToken: idToken.optional(),
    scopes: scopes.optional(),
    requestSignUp: z.boolean().optional(),
    loginHint: loginHint.optional(),
  }),
  output: z.object({
    redirect: z.boolean(),
    url: z.string().optional(),
    token: z.string().optional(),
    user: FullUser.optional(),
  }),
  failures: ['PROVIDER_NOT_FOUND', ...idTokenRefusals, ...refusals],
  refreshesSession: true,
  takesLabel: true,
})

/** Providers that are on, for whoever offers a choice. Their settings stay here. */
export const listProviders = call({
  method: 'GET',
  path: '/provider/list',
  summary: 'The providers with which one can sign in here, or link an account',
  access: 'anyone',
  input: z.object({}),
  output: z.array(z.object({ id: z.string(), name: z.string() })),
  failures: [],
})

const text = z.string().optional()
const callback = {
  path: '/callback/{id}',
  access: 'anyone',
  input: z.object({
    id: z.string(),
    code: text,
    state: text,
    error: text,
    error_description: text,
    device_id: text,
    user: text,
    iss: text,
  }),
  output: z.never(),
  failures: [],
  whenUnreadable: 'invalid_callback_request',
} as const

/**
 * The address to which a provider returns the browser. Redirects to the application's target, with `error=` after a
 * refusal.
 */
export const callbackSocial = call({
  ...callback,
  method: 'GET',
  summary: 'Complete a sign-in or link at a provider',
})

/** For providers that return with a form. Redirects to its own GET, so that our cookies are sent. */
export const callbackSocialForm = call({
  ...callback,
  method: 'POST',
  summary: 'Complete a sign-in or link at a provider that posts a form',
  body: 'form',
  isCrossSite: true,
})

const namesAnAccount = ({
  providerId,
  accountId,
}: {
  providerId?: string | undefined
  accountId?: string | undefined
}) => providerId !== undefined || accountId !== undefined

/** Lists the caller's sign-in methods. */
export const listAccounts = call({
  method: 'GET',
  path: '/list-accounts',
  summary: 'The sign-in methods of the signed-in user',
  access: 'session',
  input: z.object({}),
  output: z.array(
    z.object({
      id: z.string(),
      provider: z.string(),
      providerId: z.string().nullable(),
      userId: z.string().nullable(),
      createdAt: date,
      updatedAt: date,
      accountId: z.string(),
      scopes: z.array(z.string()),
    }),
  ),
  failures: [],
})

/**
 * The callback makes the link, and only in the browser and session that began it. With an id token the link is made at
 * once: then `status` is true and `url` empty. New users cannot come of it, so `requestSignUp` changes nothing.
 */
export const linkSocial = call({
  method: 'POST',
  path: '/link-social',
  summary: 'Start linking an account at a provider to the signed-in user',
  access: 'session',
  input: z.object({
    provider,
    callbackURL: target,
    errorCallbackURL: target,
    scopes: scopes.optional(),
    disableRedirect: z.boolean().optional(),
    idToken: idToken.optional(),
    requestSignUp: z.boolean().optional(),
    loginHint: loginHint.optional(),
  }),
  output: z.object({ url: z.string(), redirect: z.boolean(), status: z.boolean().optional() }),
  failures: [
    'PROVIDER_NOT_FOUND',
    ...idTokenRefusals,
    'ACCOUNT_LINKED_ELSEWHERE',
    'ACCOUNT_LINK_FAILED',
    'SESSION_NOT_FRESH',
  ],
})

/**
 * Requires a fresh session. Beside a `providerId`, `accountId` is the provider's id of the person. Alone it is the row
 * id from list-accounts.
 */
export const unlinkAccount = call({
  method: 'POST',
  path: '/unlink-account',
  summary: 'Unlink an account from the signed-in user',
  access: 'session',
  input: z
    .object({ providerId: z.string().optional(), accountId: z.string().optional() })
    .refine(namesAnAccount, 'providerId or accountId'),
  output: done,
  failures: ['SESSION_NOT_FRESH', 'LAST_ACCOUNT', 'ACCOUNT_NOT_FOUND'],
})

/**
 * `accountId` is the row id from list-accounts. Without it, the oldest account at the provider. `userId` is used only
 * with the service key.
 */
const accountOfUser = z
  .object({
    providerId: z.string().max(64).optional(),
    accountId: z.string().optional(),
    userId: z.string().optional(),
  })
  .refine(namesAnAccount, 'providerId or accountId')
const tokenOf = { method: 'POST', access: 'visitor', input: accountOfUser } as const

const tokenRefusals = [
  'USER_OR_SESSION_REQUIRED',
  'PROVIDER_NOT_SUPPORTED',
  'ACCOUNT_NOT_FOUND',
  'PROVIDER_NOT_CONFIGURED',
] as const

export const refreshToken = call({
  ...tokenOf,
  path: '/refresh-token',
  summary: 'Get new tokens of a linked account from its provider',
  output: z.object({
    accessToken: z.string(),
    tokenType: z.string().optional(),
    refreshToken: z.string().optional(),
    scopes: z.array(z.string()),
    idToken: z.string().optional(),
    accessTokenExpiresAt: date.optional(),
  }),
  failures: [...tokenRefusals, 'PROVIDER_WITHOUT_REFRESH', 'ACCESS_TOKEN_NOT_REFRESHED'],
})

/** Refreshes the token first when it has less than five seconds left. */
export const getAccessToken = call({
  ...tokenOf,
  path: '/get-access-token',
  summary: 'The access token of a linked account, refreshed when it is about to expire',
  output: z.object({
    accessToken: z.string(),
    accessTokenExpiresAt: date.optional(),
    scopes: z.array(z.string()),
    idToken: z.string().optional(),
  }),
  failures: [...tokenRefusals, 'ACCESS_TOKEN_NOT_VALID'],
})

/**
 * Asks the provider with the stored access token, refreshed when it is about to expire. `data`: the provider's own
 * answer.
 */
export const accountInfo = call({
  method: 'GET',
  path: '/account-info',
  summary: 'The profile of a linked account, as its provider tells it now',
  access: 'visitor',
  input: accountOfUser,
  output: z.object({
    user: z.object({
      id: z.string(),
      name: z.string(),
      email: z.string().nullable(),
      image: z.string().nullable(),
      emailVerified: z.boolean(),
    }),
    data: z.record(z.string(), z.unknown()),
    account: z.object({ id: z.string(), providerId: z.string(), accountId: z.string() }),
  }),
  failures: [
    'USER_OR_SESSION_REQUIRED',
    'ACCOUNT_NOT_FOUND',
    'ACCOUNT_WITHOUT_PROVIDER',
    'ACCESS_TOKEN_NOT_VALID',
    'USER_INFO_NOT_READ',
  ],
  isWriting: true,
})

/** The credential from Google's own script. */
export const oneTap = call({
  method: 'POST',
  path: '/one-tap/callback',
  summary: 'Sign in with the id token of Google One Tap',
  access: 'anyone',
  input: z.object({ idToken: z.string().max(16_384) }),
  output: z.object({ token: z.string(), user: FullUser }),
  failures: [
    'PROVIDER_NOT_FOUND',
    'ONE_TAP_TOKEN_INVALID',
    'ONE_TAP_EMAIL_MISSING',
    'ONE_TAP_USER_NOT_FOUND',
    'ONE_TAP_NOT_LINKED',
    'ONE_TAP_USER_NOT_CREATED',
    'SESSION_NOT_CREATED',
    'EMAIL_NOT_VERIFIED',
    'BANNED_USER',
  ],
  refreshesSession: true,
  takesLabel: true,
})
