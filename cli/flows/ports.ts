import type { SessionView } from '../../shared/entities.ts'
import { type AccountAt, type Accounts, originOf } from '../accounts/accounts.ts'
import type { Connection } from '../client/connection.ts'
import type { Tickets } from './device/ticket.ts'
import type { Browser, WaitFor } from './waiting.ts'

/** The calls of one service, made as one account, one token or nobody. */
export interface FlowConnection extends Pick<Connection, 'server' | 'api'> {
  /** By an adopted session token, which no answer exchanges for another. */
  readonly speaksByToken: () => boolean
}

/** All that a flow may touch: a command makes it of its context, the terminal UI of its state. */
export interface Ports {
  /** Where a flow goes that needs nobody to be signed in. */
  readonly server: string
  /** Flags that a line needs to mean the same service. */
  readonly scope: readonly string[]
  /** The organization that this run was told to work in, by id, slug or name. */
  readonly organization: string | undefined
  /** As who is signed in; exit 4 where nobody is. */
  readonly signedIn: () => Promise<FlowConnection>
  /** Whether there is somebody to speak as; the service is not asked. */
  readonly isSignedIn: () => Promise<boolean>
  /** As nobody: no cookie is sent or kept. */
  readonly asNobody: (server: string) => Promise<FlowConnection>
  /**
   * With the own session of that person, and their jar, which is made when an answer first brings a cookie.
   * `server`: where it is not the service that is known for that origin.
   */
  readonly asAccount: (account: AccountAt, server?: string) => Promise<FlowConnection>
  readonly withToken: (server: string, token: string) => Promise<FlowConnection>
  /** Who is signed in, as the service knows it now; exit 4 where the session is over. */
  readonly session: (query?: { readonly disableCookieCache?: 'true' }) => Promise<SessionView>
  readonly accounts: Accounts
  /** Whom this run acts as; undefined where it speaks by a token or as nobody. */
  readonly current: () => Promise<AccountAt | undefined>
  /** Sign-ins that wait for a browser. */
  readonly tickets: Tickets
  readonly browser: Browser
  /** Shows what a person has to do elsewhere, and waits for it. */
  readonly waitFor: WaitFor
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The URL of the service at that origin: its path may be another than usual. */
export const serverAt = ({ server }: Pick<Ports, 'server'>, origin: string): string =>
  originOf(server) === origin ? server : origin
