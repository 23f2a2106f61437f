/** A user at a service: the key of an account on this machine. */
export interface AccountRef {
  /** Origin of the service's URL. */
  readonly origin: string
  readonly email: string
}

/** An account that has a jar on this machine. */
export interface StoredAccount extends AccountRef {
  readonly file: string
  /** Commands for this service act as this account. */
  readonly isCurrent: boolean
  readonly isSignedIn: boolean
  /** Email of the impersonated user. */
  readonly impersonating?: string | undefined
}

/** A jar that could not be read, and why. */
export interface RefusedJar {
  readonly file: string
  readonly problem: Error
}

/** An impersonation session, kept next to the account's own session. */
export interface Impersonation {
  /** Email of the impersonated user. */
  readonly email: string
  readonly token: string
  /** ISO time. */
  readonly expiresAt: string
}

/** The accounts kept on this machine: one jar each, and the current account of each service. */
export interface Accounts {
  /** All accounts of all services. */
  readonly list: () => Promise<readonly StoredAccount[]>
  readonly refused: () => Promise<readonly RefusedJar[]>
  /** The account if it is signed in, otherwise undefined. */
  readonly find: (account: AccountRef) => Promise<AccountRef | undefined>
  /** The account last signed in or switched to at that service, otherwise the only one that is signed in. */
  readonly current: (origin: string) => Promise<AccountRef | undefined>
  readonly path: (account: AccountRef) => string
  readonly open: (account: AccountRef) => Promise<Jar>
  /** The credentials for calls as this account, impersonating or not. Undefined without a session. */
  readonly credentials: (account: AccountRef) => Promise<Jar | Impersonation | undefined>
  /** The token of the account's own session, even while it impersonates somebody. */
  readonly token: (account: AccountRef) => Promise<string | undefined>
  /** Makes it the current account of its service. */
  readonly choose: (account: AccountRef) => Promise<void>
  /** Throws when a session could not be stored. For use while its account is not known yet. */
  readonly checkWritable: (origin: string) => Promise<void>
  /** Stores a session token in the account's jar, in place of its session. If that fails, the old session is kept. */
  readonly adopt: (account: AccountRef, token: string) => Promise<void>
  /** Clears a jar whose session has ended. */
  readonly forget: (account: AccountRef) => Promise<void>
  /** Deletes everything stored for an account, even an unreadable jar. */
  readonly remove: (account: AccountRef) => Promise<void>
  /** Moves the jar after the user changed their email address. */
  readonly rename: (account: AccountRef, email: string) => Promise<void>
  readonly impersonation: (account: AccountRef) => Promise<Impersonation | undefined>
  /** Starts an impersonation. Returns the active one, which is another one if another process was first. */
  readonly impersonate: (account: AccountRef, wanted: Impersonation) => Promise<Impersonation>
  /** Ends the given impersonation. Returns a newer one that another process has started since, which continues. */
  readonly endImpersonation: (account: AccountRef, held: Impersonation) => Promise<Impersonation | undefined>
}

/** The cookies and the bearer token of one account, shared with every process that opens the file. */
export interface Jar extends AccountRef {
  readonly file: string
  /** The Cookie header for a URL. Empty for any other origin. */
  cookieHeader(url: string): Promise<string>
  /**
   * Stores the cookies set or removed by an answer from `url`. `sent` is the Cookie header of the request. Returns the
   * names of the rejected cookies, such as Secure over plain http.
   */
  store(url: string, setCookies: readonly string[], sent?: string): Promise<readonly string[]>
  token(): string | undefined
  /** Undefined removes the token. */
  setToken(token: string | undefined): Promise<void>
  /** Replaces the session by a token's in a single change, so that nobody ever finds the account without a session. */
  replaceSession(token: string): Promise<void>
  /** The account's impersonation, if any. The caller decides whether to use it. */
  impersonation(): Impersonation | undefined
  /** Starts an impersonation. Returns the active one, which is another one if another process was first. */
  impersonate(wanted: Impersonation): Promise<Impersonation>
  /**
   * Ends the impersonation and keeps the account's own session. With `held`, ends only that one, and returns a newer
   * one that has replaced it.
   */
  endImpersonation(held?: Impersonation): Promise<Impersonation | undefined>
  /** Removes cookies and tokens, also for processes that still hold an older copy. */
  clear(): Promise<void>
  /** Throws when a change could not be saved: another user's folder, a full disk, a lock that is not released. */
  checkWritable(): Promise<void>
  /** Reads the file again. True when the credentials have changed. */
  reload(): Promise<boolean>
  /** True with a token or a session cookie, so a request is worth sending. */
  isSignedIn(): boolean
}

export const originOf = (server: string): string => (URL.canParse(server) ? new URL(server).origin : server)

export const accountRefOf = (server: string, email: string): AccountRef => ({ origin: originOf(server), email })

export const isSameAccount = (one: AccountRef, other: AccountRef): boolean =>
  one.origin === other.origin && one.email === other.email
