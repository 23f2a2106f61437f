import type { SessionView } from '../../shared/entities.ts'
import type { Note } from './security-events.ts'

/** What a request says about where it comes from. */
export interface Client {
  /** The address that counts: the peer's, or what trusted proxies say. Empty when unknown. */
  readonly address: string
  readonly userAgent: string
  /** The token of the validly signed cookie, or of the bearer header, that came along. */
  readonly token: string | null
  /** Whether a validly signed do-not-remember cookie came along. */
  readonly isForgetful: boolean
  /** Its cookies of a known device. Each is signed for an email address, and checked once that is known. */
  readonly deviceMarks: readonly string[]
  /** Whether the service key came along: a trusted server asks. */
  readonly isServer: boolean
  /** Tells the security log what this request did. */
  readonly note: Note
}

/** Who asks: a live session with its user, read from the database for this very request. */
export type Caller = SessionView & {
  /** Whether a person proved who they are within the fresh age; never under impersonation. */
  readonly isFresh: boolean
}

/**
 * What a client has to keep: the token, and for how long (seconds; null: until the browser closes). The mark outlives the
 * session: by it the device is known again.
 */
export interface IssuedSession {
  readonly token: string
  readonly maxAge: number | null
  readonly mark?: string | null
}

/** A live session, and whether this request extended it: then the client is told its new end. */
export interface ResolvedSession {
  readonly caller: Caller
  readonly remembered: boolean
  /** Seconds until it expires. */
  readonly remaining: number
  readonly isExtended: boolean
}
