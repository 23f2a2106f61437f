import type { SessionView } from '../../shared/entities.ts'
import type { Connection } from '../client/connect.ts'
import type { Tickets } from './device/ticket.ts'
import type { Browser, WaitFor } from './waiting.ts'

/** The calls of one service, made as one account, one token or nobody. */
export interface FlowConnection extends Pick<Connection, 'server' | 'api'> {
  /** By an adopted session token, which no answer exchanges for another. */
  readonly speaksByToken: () => boolean
}

/** A person at a service; the service by its URL or its origin. */
export interface AccountAt {
  readonly server: string
  readonly email: string
}

/** An account of which this machine keeps a jar; the service by its origin. */
export interface KeptAccount extends AccountAt {
  /** Whom commands act as at that service. */
  readonly isCurrent: boolean
  readonly isSignedIn: boolean
}

/** A session that acts as somebody else, kept beside the account's own. */
export interface HeldImpersonation {
  /** Whom it acts as. */
  readonly email: string
  readonly token: string
  /** ISO time. */
  readonly expiresAt: string
}

/** The accounts that are kept on this machine: a jar each, and which one is current. */
export interface KeptAccounts {
  /** Of every service. */
  readonly list: () => Promise<readonly KeptAccount[]>
  /** Whom this run acts as; undefined where it speaks by a token or as nobody. */
  readonly current: () => Promise<AccountAt | undefined>
  /** The signed-in account of that address at that service. */
  readonly find: (account: AccountAt) => Promise<AccountAt | undefined>
  /** Makes it the account that later commands act as. */
  readonly use: (account: AccountAt) => Promise<void>
  /** Keeps a session token as that person's jar. */
  readonly adopt: (account: AccountAt, token: string) => Promise<void>
  /** Drops a session that is over. */
  readonly forget: (account: AccountAt) => Promise<void>
  /** Drops all that is kept of an account that is no more. */
  readonly remove: (account: AccountAt) => Promise<void>
  /** What the account's own session speaks by, whoever the account acts as. */
  readonly token: (account: AccountAt) => Promise<string | undefined>
  readonly impersonation: (account: AccountAt) => Promise<HeldImpersonation | undefined>
  /** Answers as whom the account acts from then on: as somebody else where another run was first. */
  readonly impersonate: (account: AccountAt, wanted: HeldImpersonation) => Promise<HeldImpersonation>
  /** The account acts as itself again; answers another one that another run has begun by then, which is left alone. */
  readonly endImpersonation: (account: AccountAt, held: HeldImpersonation) => Promise<HeldImpersonation | undefined>
  /** Goes on as the same person under another address. */
  readonly rename: (account: AccountAt, email: string) => Promise<void>
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
  /** With the own session of that person, and their jar, which is made when an answer first brings a cookie. */
  readonly asAccount: (account: AccountAt) => Promise<FlowConnection>
  readonly withToken: (server: string, token: string) => Promise<FlowConnection>
  /** Who is signed in, as the service knows it now; exit 4 where the session is over. */
  readonly session: (query?: { readonly disableCookieCache?: 'true' }) => Promise<SessionView>
  readonly kept: KeptAccounts
  /** Sign-ins that wait for a browser. */
  readonly tickets: Tickets
  readonly browser: Browser
  /** Shows what a person has to do elsewhere, and waits for it. */
  readonly waitFor: WaitFor
  /** Milliseconds since 1970. */
  readonly now: () => number
}
