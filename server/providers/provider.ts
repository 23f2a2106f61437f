import { DestinationError } from './destination.ts'

/** What came back as JSON, not yet looked at. */
export type Json = Readonly<Record<string, unknown>>

/** Where a provider is asked. The settings may replace each of them. */
export interface Endpoints {
  /** As it stands in `iss`, byte for byte: of the callback (RFC 9207) and of id tokens. */
  readonly issuer: string
  readonly authorization: string
  readonly token: string
  readonly userinfo?: string | undefined
  /** The keys of its id tokens. */
  readonly jwks?: string | undefined
}

/** Our registration at a provider, as the settings say it: PROVIDER_CLIENT_ID and the like. */
export interface Registration {
  readonly clientId: string
  /** Empty where the provider knows none. */
  readonly clientSecret: string
  readonly overrides: Partial<Endpoints>
  /** In place of the record's own; null: those. */
  readonly scopes: readonly string[] | null
  /** New users are refused; or only made when the application asks for it. */
  readonly disableSignUp: boolean
  readonly disableImplicitSignUp: boolean
  /** What the provider says of its users replaces what we have of them, whenever they are led back from there. */
  readonly overrideUserInfo: boolean
  /** What the record's `options` name: APPLE_TEAM_ID is `options.TEAM_ID`. Absent ones are not in it. */
  readonly options: Readonly<Record<string, string>>
}

/** A setting of one provider alone. */
export interface ProviderOption {
  /** What is allowed, as the message of a refused start says it. */
  readonly expected: string
  readonly pattern: RegExp
  /** What no pattern can tell. */
  readonly isUsable?: (text: string) => boolean
  /** Never shown in a message, taken out of the environment. */
  readonly isSecret?: boolean
}

/** What the application asks of one sign-in. */
export interface Wishes {
  readonly loginHint?: string | undefined
}

/** What the provider's redirect carried besides code and state. */
export interface CallbackFields {
  /** VK ID: belongs into every token request. */
  readonly device_id?: string | undefined
  /** Apple: JSON, once, unsigned: only a name may be taken from it. */
  readonly user?: string | undefined
}

/** What is known of an account when its tokens are refreshed: the fields of the callback that were kept, what was granted. */
export interface Kept extends CallbackFields {
  readonly scopes?: readonly string[]
}

/** A profile as it was found: nothing of it is believed before the flow has looked at it. */
export interface Profile {
  readonly id: unknown
  readonly name?: unknown
  /** No email means that nobody signs in with it: never anything else in its place. */
  readonly email?: unknown
  /** Only the boolean `true` counts: a positive statement of the provider about this address. */
  readonly emailVerified?: unknown
  readonly image?: unknown
}

/** Adds to a request for tokens who we are; it may also take parameters away. */
export type Authenticate = (registration: Registration, body: URLSearchParams, headers: Headers) => void | Promise<void>

/** How id tokens of a provider are verified. Signature, audience, expiry and age are always checked. */
export interface IdTokenRules {
  /** Default: the issuer of the endpoints. Claims are still unproven here. */
  readonly issuers?: (endpoints: Endpoints, claims: Json, registration: Registration) => readonly string[]
  /** Default: RS256. */
  readonly algorithms?: readonly string[]
  /** Audiences besides the client id, such as those of an application on a phone. */
  readonly audiences?: (registration: Registration) => readonly string[]
  /** `hashed`: also as the hexadecimal SHA-256 of ours; `none`: the provider does not send one back. Default: exact. */
  readonly nonce?: 'exact' | 'hashed' | 'none'
  /** Whether such a token alone, from the provider's own software, signs its owner in. */
  readonly isForSignIn?: boolean
  /** False: only that software hands them out; in the redirect flow none is asked for, and none is taken. Default: true. */
  readonly comesWithCode?: boolean
  /** What else has to be true of proven claims. */
  readonly accepts?: (claims: Json, registration: Registration) => boolean
  /** Who the proven claims say it is; the whole profile where the record has no `profile`. */
  readonly profile: (claims: Json, callback: CallbackFields) => Profile
}

/** How `ask` asks: a GET with the access token as bearer, unless told otherwise. */
export interface Question {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams
  /** False: the access token stands in the body or in a header of its own. Default: true. */
  readonly isBearer?: boolean
  /** The answer is not JSON but a picture: it becomes a `data:` address. */
  readonly isPicture?: boolean
}

/** What a record has to find out who signed in. */
export interface ProfileSource {
  readonly registration: Registration
  readonly endpoints: Endpoints
  readonly accessToken: string
  /** The token reply as it came: some say there who it is. */
  readonly reply: Json
  /** Of the verified id token; null where the provider gives none. */
  readonly claims: Json | null
  readonly callback: CallbackFields
  /** The JSON (or picture) of a 200; throws for any other answer, which ends as `unable_to_get_user_info`. */
  readonly ask: (address: string, question?: Question) => Promise<unknown>
}

/**
 * One provider, as small as it can be told: everything that it has in common with the others is in the flow (`flow.ts`),
 * which runs any record. Records load no library at the start of the service: whoever needs one imports it when it is used.
 */
export interface Provider {
  /** As in the path of the callback and in `providerId`; in capitals the first part of the names of its settings. */
  readonly id: string
  /** As people read it. */
  readonly name: string
  /** A function where they depend on a setting (a host, a tenant) or have to be found out first. */
  readonly endpoints: Endpoints | ((registration: Registration, look: Look) => Endpoints | Promise<Endpoints>)
  /** Where a provider has an issuer for each of its tenants: whether the one that a callback names (RFC 9207) is of them. */
  readonly isIssuer?: (iss: string, endpoints: Endpoints) => boolean
  /** What is asked for unless PROVIDER_SCOPES says otherwise; none at all: the parameter is left out, whatever is wished. */
  readonly scopes: readonly string[]
  /** Default: a space. */
  readonly scopeSeparator?: ' ' | ','
  /** `none` only where the provider refuses or ignores a challenge (RFC 7636). */
  readonly pkce: 'S256' | 'none'
  readonly authentication: Authenticate
  /** False: no CLIENT_SECRET is needed; a list: these options together may stand in its place. Default: true. */
  readonly needsSecret?: boolean | readonly string[]
  /** Settings of its own, by the last part of their names. */
  readonly options?: Readonly<Record<string, ProviderOption>>
  /** Parameters of the authorization request besides the standard ones; undefined ones are left out. None can replace those. */
  readonly parameters?: (registration: Registration, wishes: Wishes) => Readonly<Record<string, string | undefined>>
  /** How the client id is called in the authorization request. Default: client_id. */
  readonly clientIdParameter?: string
  /** Headers of every request to the provider, such as a User-Agent that it insists on. */
  readonly headers?: (registration: Registration) => Readonly<Record<string, string>>
  /** Parameters of the token request besides the standard ones. */
  readonly tokenParameters?: (callback: CallbackFields, state: string) => Readonly<Record<string, string | undefined>>
  /**
   * Makes a token reply conform (RFC 6749 5.1) before it is read. The flow does by itself: an `error` with status 200 is an
   * error; null or empty optional members are absent; a list of scopes becomes a text. Throws for a reply to another request
   * than the one that was `sent`.
   */
  readonly tokenReply?: (reply: Json, sent: URLSearchParams) => Json
  /** False: it cannot be refreshed. Default: the standard request. `keeps`: callback fields that are stored for it. */
  readonly refresh?:
    | false
    | {
        readonly keeps?: readonly (keyof CallbackFields)[]
        readonly parameters?: (kept: Kept, registration: Registration) => Readonly<Record<string, string | undefined>>
      }
  /** Absent where id tokens are none or not to be trusted: then one in a token reply is dropped. */
  readonly idToken?: IdTokenRules
  /** Asks who signed in; null: nobody whom we let in. Absent: the id token says it all. */
  readonly profile?: (source: ProfileSource) => Promise<Profile | null>
  /**
   * Where the provider's own software hands out access tokens in place of id tokens: whose the token is; null when it was not
   * made for us. Anybody's application holds such tokens of its users, so that the profile alone proves nothing.
   */
  readonly profileOfForeign?: (source: ProfileSource) => Promise<Profile | null>
}

/** Whether the code brings an id token along that counts. */
export const givesIdToken = ({ idToken }: Provider): boolean => idToken !== undefined && idToken.comesWithCode !== false

/** Fetches JSON without any credentials, for what has to be found out first. */
export type Look = (address: string) => Promise<Json>

/** A provider that the settings turned on. */
export interface ConfiguredProvider {
  readonly provider: Provider
  readonly registration: Registration
}

/** Which step with a provider failed; the cause is for the log. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly step: 'discovery' | 'token' | 'id-token' | 'profile'
  constructor(step: ProviderError['step'], cause: unknown) {
    // The log shows no causes, since they may hold secrets; the operator has to know this one.
    const why = cause instanceof DestinationError ? `: ${cause.message}` : ''
    super(`The provider's ${step} step failed${why}`, { cause })
    this.step = step
  }
}

/** Ids in a setting, comma-separated. */
export const idList = (what: string): ProviderOption => ({
  expected: `${what}, comma-separated`,
  pattern: /^[^\s,]+(\s*,\s*[^\s,]+)*$/,
})

export const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)

/** A yes of those who write their booleans as texts: nothing but `true`, since "false" is a text as well. */
export const isToldTrue = (value: unknown): boolean => value === true || value === 'true'

/** What may be anything, as an object whose members can be looked for; none where it is no object. */
export const membersOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** A name told in parts, of which any may be missing. */
export const joined = (...parts: readonly unknown[]): string =>
  parts
    .flatMap((part) => (typeof part === 'string' ? [part.trim()] : []))
    .filter(Boolean)
    .join(' ')
