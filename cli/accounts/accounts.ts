/** A person at a service: how an account is told from the others. */
export interface AccountAt {
  /** Of the service, as in a URL. */
  readonly origin: string
  readonly email: string
}

/** An account of which this machine keeps a jar. */
export interface StoredAccount extends AccountAt {
  readonly file: string
  /** Whom commands act as at that service. */
  readonly isCurrent: boolean
  readonly isSignedIn: boolean
  /** The address of whom it acts as. */
  readonly impersonating?: string | undefined
}

/** A jar that was refused, and why. */
export interface RefusedJar {
  readonly file: string
  readonly problem: Error
}

/** A session that acts as somebody else: kept beside the account's own, never in its place. */
export interface Impersonation {
  /** Whom it acts as. */
  readonly email: string
  readonly token: string
  /** ISO time. */
  readonly expiresAt: string
}

/** The accounts kept on this machine: a jar each, and which one of a service is current. */
export interface Accounts {
  /** Of every service. */
  readonly list: () => Promise<readonly StoredAccount[]>
  readonly refused: () => Promise<readonly RefusedJar[]>
  /** That account, where it is signed in. */
  readonly find: (account: AccountAt) => Promise<AccountAt | undefined>
  /** The account of that service that was last signed in to or switched to; else the only one that is signed in. */
  readonly current: (origin: string) => Promise<AccountAt | undefined>
  /** Where its jar is. */
  readonly path: (account: AccountAt) => string
  readonly open: (account: AccountAt) => Promise<Jar>
  /** What calls as that account are made with, themselves or as somebody else; undefined where there is no session. */
  readonly speaker: (account: AccountAt) => Promise<Jar | Impersonation | undefined>
  /** What the account's own session speaks by, whoever the account acts as. */
  readonly token: (account: AccountAt) => Promise<string | undefined>
  /** Makes it the account that later commands act as. */
  readonly choose: (account: AccountAt) => Promise<void>
  /** Keeps a session token as that person's jar. */
  readonly adopt: (account: AccountAt, token: string) => Promise<void>
  /** Drops a session that is over. */
  readonly forget: (account: AccountAt) => Promise<void>
  /** Drops all that is kept of an account, also what cannot be read. */
  readonly remove: (account: AccountAt) => Promise<void>
  /** Goes on as the same person under another address. */
  readonly rename: (account: AccountAt, email: string) => Promise<void>
  readonly impersonation: (account: AccountAt) => Promise<Impersonation | undefined>
  /** Answers as whom the account acts from then on: as somebody else where another run was first. */
  readonly impersonate: (account: AccountAt, wanted: Impersonation) => Promise<Impersonation>
  /** The account acts as itself again; answers another one that another run has begun by then, which is left alone. */
  readonly endImpersonation: (account: AccountAt, held: Impersonation) => Promise<Impersonation | undefined>
}

/** The cookies and the bearer token of one account, shared with every process that opens the file. */
export interface Jar extends AccountAt {
  readonly file: string
  /** The Cookie header for a URL; empty for any other origin. */
  cookieHeader(url: string): Promise<string>
  /** Keeps what an answer from `url` set or removed. `sent` is the Cookie header that the request carried. */
  store(url: string, setCookies: readonly string[], sent?: string): Promise<StoreResult>
  token(): string | undefined
  /** Undefined forgets it. */
  setToken(token: string | undefined): Promise<void>
  /** As whom an administrator acts with this account. Whoever speaks as the account decides whether it counts. */
  impersonation(): Impersonation | undefined
  /** Answers as whom the account acts from then on: where another process was first, as the one that it keeps. */
  impersonate(wanted: Impersonation): Promise<Impersonation>
  /** Leaves the account's own session as it was. Given one, forgets that alone, and answers the one that took its place. */
  endImpersonation(held?: Impersonation): Promise<Impersonation | undefined>
  /** Forgets cookies and tokens, here and for every process that still has an older copy. */
  clear(): Promise<void>
  /** Throws when a change could not be saved: somebody else's folder, no space, a lock that stays held. */
  checkWritable(): Promise<void>
  /** Reads the file again; true when what would be sent has changed. */
  reload(): Promise<boolean>
  /** No token and no cookie that would be sent. */
  isEmpty(): boolean
  /** Whether a request is worth sending: there is a token or a session cookie. */
  isSignedIn(): boolean
}

export interface StoreResult {
  readonly isChanged: boolean
  /** Names of cookies that broke a rule, such as Secure over plain http. */
  readonly refused: readonly string[]
}

export const originOf = (server: string): string => (URL.canParse(server) ? new URL(server).origin : server)

export const accountAt = (server: string, email: string): AccountAt => ({ origin: originOf(server), email })

export const isSameAccount = (one: AccountAt, other: AccountAt): boolean =>
  one.origin === other.origin && one.email === other.email
