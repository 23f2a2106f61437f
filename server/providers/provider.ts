import { DestinationError } from './destination.ts'

/** Unchecked JSON from a provider. */
export type Json = Readonly<Record<string, unknown>>

/** A provider's endpoints. Settings may replace each of them. */
export interface Endpoints {
  /** Exactly as in `iss`, byte for byte, of the callback (RFC 9207) and of id tokens. */
  readonly issuer: string
  readonly authorization: string
  readonly token: string
  readonly userinfo?: string | undefined
  /** The JWKS address of its id tokens' keys. */
  readonly jwks?: string | undefined
}

/** Our registration at a provider, from the settings: PROVIDER_CLIENT_ID and the like. */
export interface Registration {
  readonly clientId: string
  /** Empty when the provider uses none. */
  readonly clientSecret: string
  readonly overrides: Partial<Endpoints>
  /** Replaces the provider's default scopes. Null to keep them. */
  readonly scopes: readonly string[] | null
  /** `disableSignUp` refuses new users; `disableImplicitSignUp` creates them only when the application asks for it. */
  readonly disableSignUp: boolean
  readonly disableImplicitSignUp: boolean
  /** The provider's profile replaces our fields at every sign-in that redirects through it. */
  readonly overrideUserInfo: boolean
  /** The values of the provider's `options`: APPLE_TEAM_ID is `options.TEAM_ID`. Unset ones are missing. */
  readonly options: Readonly<Record<string, string>>
}

/** A setting of a single provider. */
export interface ProviderOption {
  /** What is allowed, for the message when the start is refused. */
  readonly expected: string
  readonly pattern: RegExp
  /** A check that no pattern can express. */
  readonly isUsable?: (text: string) => boolean
  /** Never shown in a message, and removed from the environment. */
  readonly isSecret?: boolean
}

/** Optional parameters of one authorization request, from the application. */
export interface AuthorizationHints {
  readonly loginHint?: string | undefined
}

/** Fields of the provider's redirect besides code and state. */
export interface CallbackFields {
  /** VK ID: required in every token request. */
  readonly device_id?: string | undefined
  /** Apple: JSON, sent once and unsigned. Only a name may be taken from it. */
  readonly user?: string | undefined
}

/** What is stored of an account for refreshing its tokens: fields of the callback, the user's id, the granted scopes. */
export interface KeptFields extends CallbackFields {
  readonly accountId: string
  readonly scopes?: readonly string[]
}

/** An unchecked profile. The flow checks every field before use. */
export interface Profile {
  readonly id: unknown
  readonly name?: unknown
  /** Without an email nobody is signed in. Never put anything else here. */
  readonly email?: unknown
  /** Only the boolean `true` counts: the provider states that this address is verified. */
  readonly emailVerified?: unknown
  readonly image?: unknown
  /** The picture could not be read now, so whatever we have of it stays. */
  readonly isImageUnread?: boolean
}

/** Adds our client authentication to a token request. It may also remove parameters. */
export type Authenticate = (registration: Registration, body: URLSearchParams, headers: Headers) => void | Promise<void>

/** How a provider's id tokens are verified. Signature, audience, expiry and age are always checked. */
export interface IdTokenRules {
  /** Default: the issuer of the endpoints. The claims are not verified yet. */
  readonly issuers?: (endpoints: Endpoints, claims: Json, registration: Registration) => readonly string[]
  /** Default: RS256. */
  readonly algorithms?: readonly string[]
  /** Audiences besides the client id, such as a phone application's. */
  readonly audiences?: (registration: Registration) => readonly string[]
  /**
   * `hashed`: the hexadecimal SHA-256 of our nonce is accepted too. `none`: the provider sends none back. Default:
   * exact.
   */
  readonly nonce?: 'exact' | 'hashed' | 'none'
  /** Whether such a token alone, from the provider's own software, signs its user in. */
  readonly isForSignIn?: boolean
  /**
   * False when only the provider's software hands them out: the redirect flow requests none and accepts none. Default:
   * true.
   */
  readonly comesWithCode?: boolean
  /** An additional check of the verified claims. */
  readonly accepts?: (claims: Json, registration: Registration) => boolean
  /** The profile in the claims, with the id of the account. It is complete when the provider has no `profile`. */
  readonly profile: (claims: Json, callback: CallbackFields) => Profile
}

/** The request that `ask` sends. Default: a GET with the access token as bearer. */
export interface ProfileRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams
  /** False when the access token is in the body or in another header. Default: true. */
  readonly isBearer?: boolean
  /** The answer is a picture instead of JSON, and becomes a `data:` address. */
  readonly isPicture?: boolean
}

/** What a provider's definition can use to find out who signed in. */
export interface ProfileSource {
  readonly registration: Registration
  readonly endpoints: Endpoints
  readonly accessToken: string
  /** The unchanged token reply: some providers identify the user there. */
  readonly reply: Json
  /** The claims of the verified id token. Null when the provider issues none. */
  readonly claims: Json | null
  readonly callback: CallbackFields
  /**
   * Returns the JSON (or picture) of a 200. Throws for any other answer (an `AnswerError`) and for none, which ends as
   * `unable_to_get_user_info`.
   */
  readonly ask: (address: string, question?: ProfileRequest) => Promise<unknown>
}

/**
 * The definition of one provider: only what differs from the others. `flow.ts` runs every definition and contains what
 * they share. Definitions load no library at the start of the service; import one where it is used.
 */
export interface Provider {
  /** The id in the callback's path and in `providerId`. In capitals, the prefix of its settings' names. */
  readonly id: string
  /** A function when they depend on a setting (a host, a tenant) or have to be discovered. */
  readonly endpoints: Endpoints | ((registration: Registration, look: FetchJson) => Endpoints | Promise<Endpoints>)
  /** For providers with an issuer per tenant: whether the callback's `iss` (RFC 9207) is one of them. */
  readonly isIssuer?: (iss: string, endpoints: Endpoints) => boolean
  /** The default scopes, which PROVIDER_SCOPES replaces. When empty, the scope parameter is always left out. */
  readonly scopes: readonly string[]
  /** Default: a space. */
  readonly scopeSeparator?: ' ' | ','
  /** Only when the provider refuses or ignores a challenge (RFC 7636). Default: S256. */
  readonly pkce?: 'none'
  /** Default: the secret in the body. */
  readonly authentication?: Authenticate
  /** False: no CLIENT_SECRET is needed. A list: these options together may replace it. Default: true. */
  readonly needsSecret?: boolean | readonly string[]
  /** The provider's own settings, by the last part of their names. */
  readonly options?: Readonly<Record<string, ProviderOption>>
  /**
   * Parameters of the authorization request besides the standard ones, which they cannot replace. Undefined ones are
   * left out.
   */
  readonly parameters?: (
    registration: Registration,
    wishes: AuthorizationHints,
  ) => Readonly<Record<string, string | undefined>>
  /** The name of the client id in the authorization request. Default: client_id. */
  readonly clientIdParameter?: string
  /** Headers of every request to the provider, such as a required User-Agent. */
  readonly headers?: (registration: Registration) => Readonly<Record<string, string>>
  /** Parameters of the token request besides the standard ones. */
  readonly tokenParameters?: (callback: CallbackFields, state: string) => Readonly<Record<string, string | undefined>>
  /**
   * Makes a token reply conform to RFC 6749 5.1 before it is read. Not needed for what the flow handles itself: an
   * `error` with status 200 is an error, null or empty optional members count as absent, and a list of scopes becomes a
   * text. Throws when the reply does not belong to the request in `sent`.
   */
  readonly tokenReply?: (reply: Json, sent: URLSearchParams) => Json
  /** False: tokens cannot be refreshed. Default: the standard request. `keeps`: callback fields to store for it. */
  readonly refresh?:
    | false
    | {
        readonly keeps?: readonly (keyof CallbackFields)[]
        readonly parameters?: (
          kept: KeptFields,
          registration: Registration,
        ) => Readonly<Record<string, string | undefined>>
      }
  /**
   * Absent when the provider issues no id tokens, or when they cannot be trusted. An id token in a token reply is then
   * dropped.
   */
  readonly idToken?: IdTokenRules
  /** Fetches the profile. Null refuses the user. Absent when the id token contains the whole profile. */
  readonly profile?: (source: ProfileSource) => Promise<Profile | null>
  /**
   * For providers whose own software hands out access tokens in place of id tokens: the profile of the token's user, or
   * null when the token was not made for us. Any application holds such tokens of its users, so the profile alone
   * proves nothing. Only for `refresh: false`, since the use of a refreshed access token is not recorded.
   */
  readonly profileOfForeign?: (source: ProfileSource) => Promise<Profile | null>
}

/** Whether the code flow returns an id token that we accept. */
export const givesIdToken = ({ idToken }: Provider): boolean => idToken !== undefined && idToken.comesWithCode !== false

/** Fetches JSON without credentials, for discovery. */
export type FetchJson = (address: string) => Promise<Json>

/** A provider that the settings turned on. */
export interface ConfiguredProvider {
  readonly provider: Provider
  readonly registration: Registration
}

/** A provider answered a question about a profile with another status than 200. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly status: number
  constructor(status: number) {
    super(`The answer has status ${status}`)
    this.status = status
  }
}

/** The step with a provider that failed. The cause is for the log. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly step: 'discovery' | 'token' | 'id-token' | 'profile'
  constructor(step: ProviderError['step'], cause: unknown) {
    // The log leaves out causes, because they may contain secrets. Those that cannot are put into the message, because
    // the operator has to know them: what is asked for discovery is public.
    const isPublic = step === 'discovery' || cause instanceof DestinationError
    super(`The provider's ${step} step failed${isPublic ? `: ${reasonOf(cause)}` : ''}`, { cause })
    this.step = step
  }
}

/** An error of several connections has a code only. */
function reasonOf(cause: unknown): string {
  const { message, code } = Object(cause)
  return String(message || code || cause)
}

/** A setting with comma-separated ids. */
export const idListOption = (what: string): ProviderOption => ({
  expected: `${what}, comma-separated`,
  pattern: /^[^\s,]+(\s*,\s*[^\s,]+)*$/,
})

export const splitIds = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)

/** Whether a boolean, possibly written as text, is true. Only `true` counts, because the text "false" is truthy. */
export const coerceBoolean = (value: unknown): boolean => value === true || value === 'true'

/** Any value as an object whose members can be read. Empty when it is no object. */
export const coerceObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** The profile in the standard claims (OpenID Connect Core 5.1). */
export const profileOfClaims = ({ sub, name, email, email_verified: emailVerified, picture }: Json): Profile => ({
  id: sub,
  name,
  email,
  emailVerified,
  image: picture,
})

/** Joins the parts of a name, any of which may be missing. */
export const joinNameParts = (...parts: readonly unknown[]): string =>
  parts
    .flatMap((part) => (typeof part === 'string' ? [part.trim()] : []))
    .filter(Boolean)
    .join(' ')
