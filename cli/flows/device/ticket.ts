/**
 * A request that waits for a browser, as stored on this machine. Whoever can read that of a sign-in can take the
 * session.
 */
export interface Ticket {
  readonly server: string
  /** The provider that it was started with. */
  readonly provider?: string | undefined
  readonly url: string
  readonly userCode: string
  readonly deviceCode: string
  /** Undefined for a link, which only the session that asked can poll. */
  readonly verifier?: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Milliseconds between two polls. */
  readonly interval: number
  /** Earliest time of the next poll; milliseconds since 1970. */
  readonly pollAfter: number
  /** The session's token, until a jar holds it. */
  readonly token?: string | undefined
}

export const isOfLink = ({ verifier }: Pick<Ticket, 'verifier'>): boolean => verifier === undefined

/** The stored tickets of this machine. A ticket's name is not secret: it only identifies the file with the secrets. */
export interface Tickets {
  /** Returns the ticket's name. */
  readonly keep: (ticket: Ticket) => Promise<string>
  readonly find: (name: string) => Promise<Ticket | undefined>
  /** Undefined if the ticket no longer exists. */
  readonly change: (name: string, change: Partial<Ticket>) => Promise<Ticket | undefined>
  readonly drop: (name: string) => Promise<void>
}

export interface NamedTicket {
  readonly name: string
  readonly ticket: Ticket
}
