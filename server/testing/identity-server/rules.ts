import type { Algorithm } from './keys.ts'
import type { Person } from './person.ts'

/** How a client has to show its secret. Basic is raw: nothing is percent-encoded before base64. */
type ClientAuth = 'body' | 'basic' | 'client-key' | 'none' | 'signed'

/** In which words a refusal is told. */
export type RefusalStyle = 'standard' | 'ok' | 'nested' | 'status' | 'reason' | 'free-text'

export type Fields = Readonly<Record<string, unknown>>

/** What one provider insists on and what it answers, as far as it differs from the others. */
export interface Rules {
  /** Below the provider's own folder; the API has them where the real one has. */
  /** `none`: there is no profile to ask for. */
  readonly paths: {
    readonly authorize: string
    readonly token: string
    readonly profile: string
    readonly keys?: string
  }
  /** The scope parameter to the letter; undefined: it must not be there. */
  readonly scope: string | undefined
  /** How scopes are told in a token's reply: as they were asked, joined by commas, as a list, or not at all. */
  readonly toldScope?: 'commas' | 'list' | 'none'
  /** Authorization parameters besides those that every provider gets, to the letter. */
  readonly extras?: Readonly<Record<string, string>>
  readonly pkce: boolean
  /** Puts the nonce into the id token and insists on one. */
  readonly nonce?: boolean
  readonly auth: ClientAuth
  readonly refusals?: RefusalStyle
  /** The issuer below the provider's own folder, with the algorithm of its id tokens. */
  readonly idToken?: {
    readonly issuer: string
    readonly algorithm: Algorithm
    readonly claims: (person: Person) => Fields
  }
  /** `single-use`: the old one dies; `kept`: the reply has none, the old one goes on; `none`: there is none. */
  readonly refresh: 'single-use' | 'kept' | 'none'
  /** Whether the request was one that gets a refresh token; absent: any. */
  readonly refreshIf?: (asked: Readonly<Record<string, string>>, isFirst: boolean) => boolean
  /** Fields that the token's reply has, or that take the place of the usual ones; undefined takes one away. */
  readonly reply?: (person: Person) => Fields
  /** Headers that every call on the back channel has to have. */
  readonly headers?: Readonly<Record<string, RegExp>>
  readonly profile: {
    readonly method?: 'POST'
    /** What has to stand there, to the letter. */
    readonly query?: Readonly<Record<string, string>>
    readonly tell: (person: Person) => unknown
  }
  /** The method by which the browser brings the answer back. */
  readonly callback?: 'POST'
  /** Fields of the callback besides code and state. */
  readonly callbackFields?: (person: Person, isFirst: boolean) => Readonly<Record<string, string>>
  /** Fields that the token call and each refresh need besides the standard ones. */
  readonly carried?: { readonly exchange?: readonly string[]; readonly refresh?: readonly string[] }
}
