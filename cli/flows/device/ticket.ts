/** A sign-in that waits for a browser, as this machine remembers it. Whoever reads it can take the session. */
export interface Ticket {
  readonly server: string
  /** What it was begun with. */
  readonly provider?: string | undefined
  readonly url: string
  readonly userCode: string
  readonly deviceCode: string
  readonly verifier: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Milliseconds between two polls. */
  readonly interval: number
  /** The next poll may not come before; milliseconds since 1970. */
  readonly pollAfter: number
  /** The session that was handed out, until a jar holds it. */
  readonly token?: string | undefined
}

/** The tickets of this machine. A name is no secret: it says where the secrets are. */
export interface Tickets {
  /** Answers its name. */
  readonly keep: (ticket: Ticket) => Promise<string>
  readonly find: (name: string) => Promise<Ticket | undefined>
  /** Undefined where there is none of that name any more. */
  readonly change: (name: string, change: Partial<Ticket>) => Promise<Ticket | undefined>
  readonly drop: (name: string) => Promise<void>
}

export interface NamedTicket {
  readonly name: string
  readonly ticket: Ticket
}
