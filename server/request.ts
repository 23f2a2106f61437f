import type { SessionView } from '../shared/entities.ts'
import type { Note } from './security-events.ts'

/** Where a request comes from, as far as a use case may care. */
export interface Client {
  /** The address that counts: the peer's, or what trusted proxies say. Empty when unknown. */
  readonly address: string
  readonly userAgent: string
  /** The token of the validly signed cookie, or of the bearer header, that came along. */
  readonly token: string | null
  /** Whether a validly signed do-not-remember cookie came along. */
  readonly isForgetful: boolean
  /** What its cookies hold of a known device; signed for an address, and so checked where there is one. */
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
 * What a client has to keep: the token, and for how long (seconds); without a time, until the browser closes. With a mark
 * that outlives the session, by which the device is known again.
 */
export interface Issued {
  readonly token: string
  readonly maxAge: number | null
  readonly mark?: string | null
}

/** A live session, and whether this very request extended it: then the client has to be told the new end. */
export interface Resolved {
  readonly caller: Caller
  readonly remembered: boolean
  /** Seconds until it expires. */
  readonly remaining: number
  readonly isExtended: boolean
}
