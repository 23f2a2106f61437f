import type { SessionView } from '../../shared/entities.ts'
import type { Event, Note, RequireRoom } from './audit-event.ts'
import type { ProvenAddress } from './proven-address.ts'

/** What a request says about where it comes from. */
export interface Client {
  /** The address that counts: the peer's, or what trusted proxies say. Empty when unknown. */
  readonly address: string
  readonly userAgent: string
  /** What the machine calls itself; null when it does not say. */
  readonly label: string | null
  /** The token of the validly signed cookie, or of the bearer header, that came along. */
  readonly token: string | null
  /** Whether a validly signed do-not-remember cookie came along. */
  readonly isForgetful: boolean
  /** Whether an older secret signed its token: then it is told anew what to keep. */
  readonly isOutdated: boolean
  /** Its cookies of a known device. Each is signed for an email address, and checked once that is known. */
  readonly deviceMarks: readonly string[]
  /** The way in with which its browser signed up, by a signed cookie; null when none came along. */
  readonly signedUpWith: string | null
  /** Lets its browser keep that. */
  readonly keepSignUp: (accountId: string) => void
  /** Whether the service key came along: a trusted server asks. */
  readonly isServer: boolean
  /** Tells what an act of this request is about to do: its row of the trail, and its line in the log once it is kept. */
  readonly event: Event
  readonly requireRoom: RequireRoom
  /** Tells the security log what stands in no trail. */
  readonly note: Note
  /** Says who asks, where a use case looks the session up by itself. */
  readonly identify: (caller: Caller) => void
}

/** What a machine asks with: a key, or a trust rule by which it signed in. */
export interface MachineCaller {
  /** Of the key, or of the rule. */
  readonly id: string
  /** All that it may be used for; null: what any key may do. */
  readonly scopes: readonly string[] | null
  /** False: the short session of a pipeline that signed in. */
  readonly isKey: boolean
}

/** Who asks: a live session with its user, read from the database for this very request; or a key, as if it had one. */
export type Caller = SessionView & {
  /** Null: a person asks. */
  readonly key: MachineCaller | null
  /** The user's address, where whoever asks proved its mailbox; a key never did. */
  readonly provenAddress: ProvenAddress | null
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

/** What a browser keeps of an administrator's own session while they act as somebody else. */
export interface KeptSession {
  readonly token: string
  /** The session that acts: what is kept is good for this one alone. */
  readonly impersonationId: string
}

/** The organization that a session is at work in, and what its user is there; null when they are no member any more. */
export interface ActiveOrganization {
  readonly id: string
  readonly slug: string
  readonly roles: readonly string[]
}

/** How a session is looked up. */
export interface ResolveOptions {
  /** False for a do-not-remember cookie or `disableRefresh`. */
  readonly mayExtend: boolean
  readonly client: Client
}

/** A live session, as it was looked up. */
export interface ResolvedSession {
  readonly caller: Caller
  readonly organization: ActiveOrganization | null
  readonly remembered: boolean
  /** Seconds until it expires. */
  readonly remaining: number
  /** Whether the client is told it anew: it was extended, or the client's token is one that an older secret signed. */
  readonly isRenewed: boolean
}
