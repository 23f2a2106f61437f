import type { Visits } from '../accounts/visits.ts'
import type { Connection } from '../client/connect.ts'
import type { Tickets } from '../flows/device/ticket.ts'
import type { HeldImpersonation } from '../flows/ports.ts'
import type { Browser } from '../flows/waiting.ts'

/** Somebody who is signed in on this machine, or was when the session ended: one jar. */
export interface StoredAccount {
  /** Origin of the service, as in a URL. */
  readonly origin: string
  readonly email: string
  readonly isCurrent: boolean
  /** The address of whom it acts as. */
  readonly impersonating?: string | undefined
}

/** A jar, the service it belongs to, and the calls made with it. */
export interface TuiConnection extends Pick<Connection, 'server' | 'api' | 'onRequest'> {
  /** By an adopted session token, which no answer exchanges for another. */
  readonly speaksByToken: () => boolean
  /** The same calls, for what nobody asks for by a key: they stay out of the log of requests. */
  readonly quiet: TuiConnection
}

/** All that the terminal UI needs from outside itself. */
export interface TuiPorts {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** The server that a new sign-in goes to unless the person names another. */
  readonly server: string
  /** Whether a person named it: else it is only where a service of one's own listens. */
  readonly isServerNamed: boolean
  /** Whom this run was started for, where somebody said: with nobody else it begins. */
  readonly named: Pick<StoredAccount, 'origin' | 'email'> | undefined
  /** `isAccessible`: append-only lines instead of a screen. */
  readonly environment: { readonly isAccessible: boolean; readonly hasColour: boolean }
  readonly tickets: Tickets
  readonly visits: Visits
  readonly browser: Browser
  /** Between two questions that nobody asks for by a key, in milliseconds; rejects when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly accounts: () => Promise<readonly StoredAccount[]>
  /** The calls made with the jar of that person at that server; a jar is made when an answer first brings a cookie. */
  readonly clientFor: (server: string, email: string) => Promise<TuiConnection>
  /** Those of whoever that person acts as: themselves, or somebody else. */
  readonly clientActing: (server: string, email: string) => Promise<TuiConnection>
  readonly clientForToken: (server: string, token: string) => Promise<TuiConnection>
  /** The calls of nobody: no cookie is sent or kept. */
  readonly clientForNobody: (server: string) => Promise<TuiConnection>
  /** Makes it the account that this program and later commands act as. */
  readonly switchAccount: (server: string, email: string) => Promise<void>
  /** Keeps a session token as that person's jar. */
  readonly adoptToken: (server: string, email: string, token: string) => Promise<void>
  /** What the own session of that account speaks by. */
  readonly ownToken: (account: StoredAccount) => Promise<string | undefined>
  readonly impersonation: (account: StoredAccount) => Promise<HeldImpersonation | undefined>
  /** Answers as whom the account acts from then on: as somebody else where another run was first. */
  readonly impersonate: (account: StoredAccount, wanted: HeldImpersonation) => Promise<HeldImpersonation>
  /** The account acts as itself again; answers another one that another run has begun by then, which is left alone. */
  readonly endImpersonation: (account: StoredAccount, held: HeldImpersonation) => Promise<HeldImpersonation | undefined>
  /** Drops the jar of an account whose session is over. */
  readonly forget: (account: StoredAccount) => Promise<void>
  /** Removes all that is kept of an account that is no more. */
  readonly remove: (account: StoredAccount) => Promise<void>
  /** Keeps the jar of an account whose address changed; current if it was. */
  readonly rename: (account: StoredAccount, email: string) => Promise<void>
  /** Gives up what is still asked: the person has left. */
  readonly close: () => void
}
