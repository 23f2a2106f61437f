import type { SessionView } from '../../shared/entities.ts'
import type { Language } from '../../shared/languages.ts'
import type { AnnounceEvent, LogSecurityEvent, RequireRoom } from './audit-event.ts'
import type { ProvenAddress } from './proven-address.ts'

/** Where a request comes from. */
export interface Client {
  /** The client's address: the peer's, or the one that trusted proxies report. Empty when unknown. */
  readonly address: string
  readonly userAgent: string
  /** The label that the device gave itself. Null without one. */
  readonly label: string | null
  /** The best of our languages for the person, by Accept-Language. Null without a preference for one of them. */
  readonly language: Language | null
  /** The token of a validly signed cookie, or of the bearer header. */
  readonly token: string | null
  /** The tokens of the other accounts' sessions in this browser, from signed cookies. May contain `token` again. */
  readonly keptTokens: readonly string[]
  /**
   * The same with those of a time when the setting allowed more, that of the administrator who acts as somebody, and that
   * of another service's cookie, for a sign-out that leaves none.
   */
  readonly heldTokens: readonly string[]
  /** Whether the browser can keep a session of this user beside the present one. */
  readonly hasRoomFor: (userId: string) => boolean
  /** Whether the request had a validly signed do-not-remember cookie. */
  readonly isForgetful: boolean
  /** Whether the service from which people moved in gave out the token: then it stands for an imported session only. */
  readonly isImported: boolean
  /** Whether an older secret or another service signed the token, so that the client needs a newly signed one. */
  readonly isOutdated: boolean
  /** The request's known-device cookies. Each is signed for one email address, and checked once that is known. */
  readonly deviceMarks: readonly string[]
  /** The account with which this browser signed up, from a signed cookie. Null without one. */
  readonly signedUpWith: string | null
  /** Lets the browser keep the account with which it signed up. */
  readonly keepSignUp: (accountId: string) => void
  /** Whether the request had the service key, so that a trusted server asks. */
  readonly isServer: boolean
  /** Announces what this request is about to do: its row of the trail, and its log line after the commit. */
  readonly event: AnnounceEvent
  readonly requireRoom: RequireRoom
  /** Writes an event that is not in the trail to the security log. */
  readonly note: LogSecurityEvent
  /** Sets the caller, for a use case that looks up the session itself. */
  readonly identify: (caller: Caller) => void
}

/** A machine's means of access: a key, or the trust rule by which it signed in. */
export interface MachineCaller {
  /** Id of the key or of the rule. */
  readonly id: string
  /** The only scopes that it can be used for. Null: everything that keys can be used for. */
  readonly scopes: readonly string[] | null
  /** False for the short session of a pipeline that signed in. */
  readonly isKey: boolean
  /** Whether it is a key that can give itself a new secret. */
  readonly rotatesItself: boolean
}

/**
 * The caller: a live session with its user, read from the database for this very request, or a key presented in the
 * same form.
 */
export type Caller = SessionView & {
  /** Null for a person. */
  readonly key: MachineCaller | null
  /** The user's address, if the caller proved its mailbox. A key never did. */
  readonly provenAddress: ProvenAddress | null
  /** Whether a person proved who they are within the fresh age. Never true in an impersonation. */
  readonly isFresh: boolean
}

/**
 * What a client must keep: the token, and for how many seconds (null: until the browser closes). The device mark
 * outlives the session, so that the device is recognised later.
 */
export interface IssuedSession {
  readonly token: string
  readonly maxAge: number | null
  /** The user for whom a browser may keep it beside the sessions of others. Null for an impersonation and a machine. */
  readonly userId?: string | null
  readonly mark?: string | null
}

/** The cookie that keeps an administrator's own session in the browser during an impersonation. */
export interface KeptAdminSession {
  readonly token: string
  /** The impersonation session. The kept session can be restored from this one alone. */
  readonly impersonationId: string
}

/** The active organization of a session, and its user's roles there. Null when they are no longer a member. */
export interface ActiveOrganization {
  readonly id: string
  readonly slug: string
  readonly roles: readonly string[]
}

/** Options for looking up a session. */
export interface ResolveOptions {
  /** False with `disableRefresh`. A request with a do-not-remember cookie never extends its session. */
  readonly mayExtend: boolean
  readonly client: Client
  readonly along?: ReadAlong | undefined
}

/**
 * A read of one statement that may travel with the look-up of the session, in one round trip. It is left out unless the
 * session was found lately, and when too many travel at once. Takes a database handle, whose type this layer does not
 * know.
 */
export type ReadAlong = (sql: never) => Promise<void>

/** A live session that was looked up. */
export interface ResolvedSession {
  readonly caller: Caller
  readonly organization: ActiveOrganization | null
  readonly remembered: boolean
  /** Seconds until it expires. */
  readonly remaining: number
  /**
   * Whether the client receives the cookie again: the session was extended, or an older secret signed the client's
   * token.
   */
  readonly isRenewed: boolean
}
