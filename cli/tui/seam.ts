import type { Contract } from '../../shared/contract/index.ts'
import type { Client } from '../client/client.ts'

/** Somebody who is signed in on this machine: one jar. */
export interface StoredAccount {
  /** Origin of the service, as in a URL. */
  readonly origin: string
  readonly email: string
  readonly isCurrent: boolean
}

/** One request and how it ended, as the Requests screen lists it. */
export interface SeenRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base path. */
  readonly path: string
  /** As sent, secrets included: only allow-listed keys are ever shown. */
  readonly body: unknown
  /** Undefined: no answer came. */
  readonly status: number | undefined
  readonly milliseconds: number
  /** The service's `X-Request-Id`, for asking about it. */
  readonly requestId: string | undefined
}

/** A jar, the service it belongs to, and the calls made with it. */
export interface Connection {
  /** The service's URL with its base path. */
  readonly server: string
  readonly api: Client<Contract>
  /** By an adopted session token, which no answer exchanges for another. */
  readonly speaksByToken: () => boolean
  /** Told about every request of this connection from now on; answers how to stop that. */
  readonly onRequest: (listener: (request: SeenRequest) => void) => () => void
}

/** All that the terminal UI needs from outside itself. */
export interface TuiSeam {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** The server that a new sign-in goes to unless the person names another. */
  readonly server: string
  /** `isAccessible`: append-only lines instead of a screen. */
  readonly environment: { readonly isAccessible: boolean; readonly hasColour: boolean }
  readonly accounts: () => Promise<readonly StoredAccount[]>
  /** The calls made with the jar of that person at that server; a jar is made when an answer first brings a cookie. */
  readonly clientFor: (server: string, email: string) => Promise<Connection>
  readonly clientForToken: (server: string, token: string) => Promise<Connection>
  /** The calls of nobody: no cookie is sent or kept. */
  readonly clientForNobody: (server: string) => Promise<Connection>
  /** Makes it the account that this program and later commands act as. */
  readonly switchAccount: (server: string, email: string) => Promise<void>
  /** Keeps a session token as that person's jar. */
  readonly adoptToken: (server: string, email: string, token: string) => Promise<void>
  /** Drops the jar of an account whose session is over. */
  readonly forget: (account: StoredAccount) => Promise<void>
  /** Removes all that is kept of an account that is no more. */
  readonly remove: (account: StoredAccount) => Promise<void>
  /** Keeps the jar of an account whose address changed; current if it was. */
  readonly rename: (account: StoredAccount, email: string) => Promise<void>
  /** Gives up what is still asked: the person has left. */
  readonly close: () => void
}
