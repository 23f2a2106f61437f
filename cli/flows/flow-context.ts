import type { SessionView } from '../../shared/entities.ts'
import { type AccountRef, type Accounts, originOf } from '../accounts/accounts.ts'
import type { Connection } from '../client/connection.ts'
import type { Tickets } from './device/ticket.ts'
import type { Browser, WaitFor } from './waiting.ts'

/** The calls of one service, made as one account, with one token or anonymously. */
export interface FlowConnection extends Pick<Connection, 'server' | 'api'> {
  /** Whether the calls use a token, which answers never replace. */
  readonly speaksByToken: () => boolean
}

/** Everything that a flow can use. Commands build it from their context, the terminal UI from its state. */
export interface FlowContext {
  /** The service for flows without a signed-in user. */
  readonly server: string
  /** Flags that a printed command needs to reach the same service. */
  readonly scope: readonly string[]
  /** The organization that this run works in, by id, slug or name. */
  readonly organization: string | undefined
  /**
   * Present where the run keeps to the organization that is active when it first needs one: it holds that id. See
   * `keepOrganization`.
   */
  readonly kept?: { organizationId?: Promise<string | undefined> }
  /** Connects as the signed-in user. Exit 4 if nobody is signed in. */
  readonly signedIn: () => Promise<FlowConnection>
  /** Whether there is an identity to connect as. Does not ask the service. */
  readonly isSignedIn: () => Promise<boolean>
  /** Connects without a session: no cookie is sent or stored. */
  readonly asNobody: (server: string) => Promise<FlowConnection>
  /**
   * Connects with the account's own session and jar. The jar is created when an answer first sets a cookie. `server`:
   * if it is not the known service of that origin.
   */
  readonly asAccount: (account: AccountRef, server?: string) => Promise<FlowConnection>
  readonly withToken: (server: string, token: string) => Promise<FlowConnection>
  /** The current session, fetched from the service. Exit 4 if it has ended. */
  readonly session: (query?: { readonly disableCookieCache?: 'true' }) => Promise<SessionView>
  readonly accounts: Accounts
  /** The account that this run acts as; undefined with a token or without a session. */
  readonly current: () => Promise<AccountRef | undefined>
  /** Pending browser sign-ins. */
  readonly tickets: Tickets
  readonly browser: Browser
  /** Shows what a person has to do in a browser, and waits for it. */
  readonly waitFor: WaitFor
  /** Tells how many of several calls are done. */
  readonly progress?: (done: number, total: number) => void
  /** Whether the person wants no more of several calls to begin. */
  readonly isStopped?: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The URL of the service at that origin, which can have another path than the default. */
export const serverAt = ({ server }: Pick<FlowContext, 'server'>, origin: string): string =>
  originOf(server) === origin ? server : origin
