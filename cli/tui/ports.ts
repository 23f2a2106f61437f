import type { AccountAt, Accounts } from '../accounts/accounts.ts'
import type { Visits } from '../accounts/visits.ts'
import type { Connection } from '../client/connection.ts'
import type { Tickets } from '../flows/device/ticket.ts'
import type { Browser } from '../flows/waiting.ts'

/** A jar, the service it belongs to, and the calls made with it. */
export interface TuiConnection extends Pick<Connection, 'server' | 'api' | 'onRequest'> {
  /** By an adopted session token, which no answer exchanges for another. */
  readonly speaksByToken: () => boolean
  /** The same calls, for what nobody asks for by a key: they stay out of the log of requests. */
  readonly quiet: TuiConnection
}

/**
 * Whom calls are made as: a person with their own session, or as whom they act (a jar is made when an answer first brings
 * a cookie), or a token. Nobody, where none is given: no cookie is sent or kept.
 */
export type Asker = { readonly email: string; readonly isActing?: boolean } | { readonly token: string }

/** All that the terminal UI needs from outside itself. */
export interface TuiPorts {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** The server that a new sign-in goes to unless the person names another. */
  readonly server: string
  /** Whether a person named it: else it is only where a service of one's own listens. */
  readonly isServerNamed: boolean
  /** Whom this run was started for, where somebody said: with nobody else it begins. */
  readonly named: AccountAt | undefined
  /** `isAccessible`: append-only lines instead of a screen. */
  readonly environment: { readonly isAccessible: boolean; readonly hasColour: boolean }
  readonly tickets: Tickets
  readonly visits: Visits
  readonly browser: Browser
  /** Between two questions that nobody asks for by a key, in milliseconds; rejects when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Listed are those who are signed in or act as somebody, and whose session ended while they were current: what happened to them is told. */
  readonly accounts: Accounts
  readonly connect: (server: string, as?: Asker) => Promise<TuiConnection>
  /** Gives up what is still asked: the person has left. */
  readonly close: () => void
}
