import type { JWTPayload } from 'jose'
import type { Endpoints } from '../../providers/provider.ts'
import type { Algorithm, AppleKey, SigningKey } from './keys.ts'
import type { Person } from './person.ts'
import type { Fields, Rules } from './rules.ts'
import type { Trouble } from './trouble.ts'

export type Place = 'token' | 'profile' | 'keys' | 'more'

/** Who signs in at a provider, and what it does wrong meanwhile. */
export interface Scene {
  readonly person: Person
  /** The scope that is asked, and further parameters, where a test does not leave them as they are. */
  readonly scope?: string
  readonly extras?: Readonly<Record<string, string>>
  readonly trouble?: Partial<Record<Place, Trouble>>
  /** What becomes of the callback before the browser follows it. */
  readonly callback?: (fields: URLSearchParams) => void
  /** What becomes of the token's reply, the profile, the id token's claims; `more`: of what is asked besides. */
  readonly reply?: (fields: Fields) => unknown
  readonly profile?: (told: never) => unknown
  readonly claims?: (claims: JWTPayload) => JWTPayload
  readonly more?: (told: never) => unknown
  /** Signs id tokens in place of the provider's own key. */
  readonly sign?: (claims: JWTPayload) => Promise<string>
}

/** A request as it came. */
export interface Seen {
  readonly place: Place | 'authorize'
  readonly method: string
  /** As it was sent, not decoded. */
  readonly query: string
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Of a form; as sent in `body`. */
  readonly form: Readonly<Record<string, string>>
  readonly body: string
}

/** What a person agreed to: behind a code, and behind the tokens that came of it. */
export interface Grant {
  readonly person: Person
  readonly redirectUri: string
  readonly scope: string | undefined
  readonly state: string
  readonly challenge: string | undefined
  readonly nonce: string | undefined
  readonly isRefreshable: boolean
  /** What the callback carried besides. */
  readonly carried: Readonly<Record<string, string>>
}

/** One provider of the identity server. */
export interface Stand {
  readonly id: string
  readonly rules: Rules
  readonly client: { readonly id: string; readonly secret: string }
  /** Its folder: `http://127.0.0.1:PORT/github`. */
  readonly url: string
  /** Where the service has to ask it, in place of the real one. */
  readonly endpoints: Endpoints
  readonly redirectUri: string
  readonly keys: Readonly<Record<Algorithm, SigningKey>>
  readonly appleKey: AppleKey
  /** Who signs in next and how; a test sets another. */
  scene: Scene
  readonly seen: Seen[]
  /** What it had to refuse, a sentence each: none in a flow that is right. */
  readonly complaints: string[]
  readonly codes: Map<string, Grant>
  readonly accessTokens: Map<string, Grant>
  readonly refreshTokens: Map<string, Grant>
  /** Ids of people who agreed before. */
  readonly known: Set<string>
}

/** What a request is refused for; a complaint is kept of it. */
export class Refusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function insist(isRight: boolean, code: string, message: string): asserts isRight {
  if (!isRight) throw new Refusal(code, message)
}
