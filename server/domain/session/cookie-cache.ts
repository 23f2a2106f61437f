import * as z from 'zod'
import { Session, SessionView } from '../../../shared/entities.ts'
import { spreadOwnFields } from '../../../shared/own-fields.ts'
import { decodeMac, type Signer } from '../../crypto/keys.ts'
import { digestOf, digestTextOf } from '../../crypto/token.ts'
import { rememberVerified } from '../../crypto/verified-texts.ts'
import { EncodedAnswer } from '../../request/encoded-answer.ts'
import { pickValues } from '../../request/own-values.ts'

/** Longest cookie, including its name: browsers drop those above 4096 octets (RFC 6265bis section 5.6). */
const maxCookieLength = 4093
const maxNameLength = (prefix: string): number => `__Secure-${prefix}.session_data=`.length

/** A session and its user as the answer has them. */
export type WireSession = z.input<typeof SessionView>

const Cached = z.object({
  shape: z.string(),
  /** Hash of the session's token, so that the cache is never taken for another session's. */
  tokenHash: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** The seconds that it was made for. */
  life: z.number(),
  session: Session.omit({ token: true }),
  user: SessionView.shape.user,
})

type Cached = z.input<typeof Cached>

/** What a cache is made for. */
interface CacheOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Seconds. */
  readonly life: number
  /** The prefix of cookies. */
  readonly prefix: string
  /** The own fields of users in answers. */
  readonly answered: readonly string[]
}

const knownShapes = new Map<string, string>()

/** Changes with the fields, so that what a release with other fields signed is not taken for what this one signs. */
function shapeOf(answered: readonly string[]): string {
  const own = answered.join(',')
  const known =
    knownShapes.get(own) ??
    digestOf(JSON.stringify([z.toJSONSchema(SessionView, { io: 'input' }), own]))
      .toString('base64url')
      .slice(0, 8)
  knownShapes.set(own, known)
  return known
}

/** A signed copy of the session for the client to keep. Null when it would not fit into a cookie with that prefix. */
export function encodeCache(signer: Signer, { session, user }: SessionView, options: CacheOptions): string | null {
  const { now, life, prefix, answered } = options
  const own = { ...user, fields: pickValues(user.fields, answered) }
  const facts = { shape: shapeOf(answered), tokenHash: digestTextOf(session.token), expiresAt: now + life * 1000, life }
  const payload = z.encode(Cached, { ...facts, session, user: own })
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const text = `${body}.${signer.sign(body).toString('base64url')}`
  return text.length + maxNameLength(prefix) > maxCookieLength ? null : text
}

export interface CachedAnswer {
  readonly sessionId: string
  readonly answer: EncodedAnswer<WireSession>
}

/** Reads the cached session of a token. Null when the cache is forged, expired or made for another token. */
export type ReadCache = (text: string, token: string, now: number) => CachedAnswer | null

/** About 3 MB, and ten times as much when every cookie is as large as it may be. */
const rememberedCaches = 1000

/**
 * `life`: the seconds for which revocations are remembered. What was made for longer, before the setting was lowered, is
 * not read.
 */
export function createReadCache(signer: Signer, life: number, answered: readonly string[] = []): ReadCache {
  const read = rememberVerified(rememberedCaches, (text) => {
    const cached = decodeCache(signer, text)
    return cached?.shape === shapeOf(answered) && cached.life <= life ? new RememberedCache(cached) : null
  })
  return (text, token, now) => read(text)?.answerFor(token, now) ?? null
}

/** A cache that we signed, with its answer once the session's token was shown. */
class RememberedCache {
  readonly #cached: Cached
  readonly #madeAt: number
  readonly #endsAt: number
  #answer: CachedAnswer | undefined

  constructor(cached: Cached) {
    this.#cached = cached
    this.#madeAt = cached.expiresAt - cached.life * 1000
    this.#endsAt = Math.min(cached.expiresAt, Date.parse(cached.session.expiresAt))
  }

  answerFor(token: string, now: number): CachedAnswer | null {
    const { tokenHash, session, user } = this.#cached
    // After a clock was set back, a copy from before would live for as long as that clock was ahead.
    if (tokenHash !== digestTextOf(token) || now < this.#madeAt || this.#endsAt <= now) return null
    this.#answer ??= { sessionId: session.id, answer: answerOf({ session: { ...session, token }, user }) }
    return this.#answer
  }
}

/** On the wire own fields are members of the user. */
const answerOf = (view: WireSession) => EncodedAnswer.of(spreadOwnFields(SessionView)(view) as WireSession)

/** What we signed is what a schema encoded, so it is neither checked nor encoded again. Null when it is forged. */
function decodeCache(signer: Signer, text: string): Cached | null {
  const [body = '', mac = '', ...rest] = text.split('.')
  if (rest.length > 0 || !signer.verifies(body, decodeMac(mac, 'base64url'))) return null
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as Cached
}
