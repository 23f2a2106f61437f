import type { AccountRef, Accounts } from '../accounts/accounts.ts'
import type { LastSeenStore } from '../accounts/last-seen.ts'
import type { Connection } from '../client/connection.ts'
import type { Tickets } from '../flows/device/ticket.ts'
import type { Browser } from '../flows/waiting.ts'
import type { ThemeName } from '../settings/theme-names.ts'

/** The calls of one service with one set of credentials. */
export interface TuiConnection extends Pick<Connection, 'server' | 'api' | 'onRequest'> {
  /** Whether the calls use a token, which answers never replace. */
  readonly speaksByToken: () => boolean
  /** The same calls for background requests, which stay out of the request log. */
  readonly quiet: TuiConnection
}

/**
 * The credentials of calls: a user's own session, the user that they impersonate, or a token. The jar is created with
 * the first cookie. Without an identity no cookies are sent or stored.
 */
export type ConnectionIdentity = { readonly email: string; readonly isActing?: boolean } | { readonly token: string }

/** Everything that the terminal UI needs from outside. */
export interface TuiPorts {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** The default server for signing in. */
  readonly server: string
  /** Whether the user chose the server. Otherwise it is the built-in address of a local service. */
  readonly isServerNamed: boolean
  /** The account that the user named for this run. Only this account is used at the start. */
  readonly named: AccountRef | undefined
  readonly environment: {
    /** Selects appended lines instead of screens. */
    readonly isAccessible: boolean
    readonly hasColour: boolean
    readonly hasMouse: boolean
    readonly theme: ThemeName
    /** Texts of the config file for keys that replace the built-in ones, by action. */
    readonly keys: Readonly<Record<string, string>>
  }
  readonly tickets: Tickets
  readonly lastSeen: LastSeenStore
  readonly browser: Browser
  /** Waits between background requests, in milliseconds. Rejects when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /**
   * Lists accounts that are signed in or impersonating, and current ones whose session has ended, so that the user
   * learns about it.
   */
  readonly accounts: Accounts
  readonly connect: (server: string, as?: ConnectionIdentity) => Promise<TuiConnection>
  /** Cancels pending requests when the user quits. */
  readonly close: () => void
}
