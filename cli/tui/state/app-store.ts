import { type AccountRef, type Accounts, isSameAccount, originOf, type StoredAccount } from '../../accounts/accounts.ts'
import type { ObservedRequest } from '../../client/connection.ts'
import { serverAt } from '../../flows/flow-context.ts'
import type { ConnectionIdentity, TuiConnection, TuiPorts } from '../ports.ts'
import { toShownError } from '../text/shown-error.ts'
import { Activity } from './activity.ts'
import {
  type AccountReadRound,
  AdminCheck,
  type AppState,
  apiFor,
  endFoundOnSwitch,
  endsSession,
  keepIfEqual,
  knownEndOf,
  type ReadRound,
  type SessionEnd,
  type Stale,
  selectAccount,
  sessionEndOf,
  startState,
} from './app-state.ts'
import { isRefreshDue } from './beat.ts'
import { type LoggedRequest, withRequest } from './request-log.ts'
import { takeoverOf } from './takeover.ts'

/**
 * The accounts and sessions of one run of the terminal UI, shared by all screens and by the accessible conversation.
 */
export class AppStore {
  readonly ports: TuiPorts
  /** The work that the user waits for. */
  readonly activity = new Activity()
  /** What the screens read for a refresh. */
  readonly reads = new Activity()
  state: AppState = startState
  readonly #listeners = new Set<() => void>()
  readonly #watched = new WeakSet<TuiConnection>()
  readonly #administration = new AdminCheck()
  /** The accounts of this machine. Changes through this object update the store at once. */
  readonly accounts: Accounts
  /** The account that the user chose. Until then, the one named for this run or the one current at its start. */
  #chosen: AccountRef | undefined
  /** Somebody signed in, so the jar holds another session than the open connection. */
  #hasNewSession = false
  /** An account was chosen and the service has not confirmed its session yet. */
  #isUnanswered = false
  /** An anonymous connection to the server that this run was started for. */
  #greeter: TuiConnection | undefined
  #isEndedHere = false
  #refreshing: symbol | undefined
  #isRefreshDue = false
  #checking: Promise<void> | undefined
  #beatAt = 0
  #turn = 0
  #count = 0

  constructor(ports: TuiPorts) {
    this.ports = ports
    this.#chosen = ports.named
    this.accounts = this.#following(ports.accounts)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): AppState => this.state

  /** Reads the stored accounts and the current session. An answer is dropped when a newer load has started. */
  async load(): Promise<void> {
    await this.activity.during(() => this.#read({ isQuiet: false }))
  }

  /** Asks whether the session is over, once for all who wonder at the same time. */
  checkSession(): Promise<void> {
    return (this.#checking ??= this.load().finally(() => void (this.#checking = undefined)))
  }

  /** Loads in the background. Does nothing while the user waits for an action, which may change the result. */
  async poll(): Promise<boolean> {
    if (this.activity.isBusy()) return false
    const before = this.state
    await this.#read({ isQuiet: true })
    // The answer was dropped because the user has begun something since. Whoever acts now must not stay unknown.
    if (this.state.current && this.state.me === undefined && !this.state.shownError) await this.load()
    if (isRefreshDue(before, this.state, Date.now() - this.#beatAt)) {
      this.#beatAt = Date.now()
      this.#set({ beat: this.state.beat + 1 })
    }
    return true
  }

  /**
   * Looks only at this machine's files, and reads everything again if the account acts as somebody else than before or
   * is gone.
   */
  async look(): Promise<void> {
    const { current } = this.state
    if (!current || this.activity.isBusy()) return
    // A poll tells why the files cannot be read.
    const accounts = await this.ports.accounts.list().catch(() => [])
    const stored = accounts.find((account) => isSameAccount(account, current))
    if (!stored || stored.impersonating !== current.impersonating) await this.poll()
  }

  /** The user has read that another process changed who the account acts as. */
  acknowledgeTakeover(): void {
    this.#set({ takeover: undefined })
  }

  /** Records that the screen could not be refreshed. Returns a function that removes the record. */
  noteStale(stale: Stale): () => void {
    this.#set({ stale })
    return () => void (this.state.stale === stale && this.#set({ stale: undefined }))
  }

  /** Reads this machine's accounts again, since another terminal may have signed in or out. */
  async readAccounts(): Promise<readonly StoredAccount[]> {
    this.#set({ accounts: keepIfEqual(this.state.accounts, await this.ports.accounts.list()) })
    return this.state.accounts
  }

  /**
   * Reloads everything on the screens, after a change or when the user asks for it. One refresh runs at a time. However
   * often it is asked for meanwhile, one more follows, which finds every change.
   */
  refresh(): void {
    this.#isRefreshDue = true
    // Another session does not wait for the answers to the previous one, which are dropped.
    if (this.#refreshing && !this.#hasNewSession) return
    const round = Symbol('refresh')
    this.#refreshing = round
    void this.#refreshWhileDue(round)
  }

  async #refreshWhileDue(round: symbol): Promise<void> {
    while (this.#refreshing === round && this.#isRefreshDue) {
      this.#isRefreshDue = false
      this.#set({ revision: this.state.revision + 1 })
      await this.load()
      await this.reads.whenIdle()
    }
    if (this.#refreshing === round) this.#refreshing = undefined
  }

  /** A connection as the given user, or anonymous. Its requests are logged. */
  async connect(server: string, as?: ConnectionIdentity): Promise<TuiConnection> {
    return this.#watch(await this.ports.connect(server, as))
  }

  async #read(how: { readonly isQuiet: boolean }): Promise<void> {
    this.#turn += 1
    const [turn, begun] = [this.#turn, this.activity.begun]
    const isOvertaken = () => turn !== this.#turn || (how.isQuiet && begun !== this.activity.begun)
    const set = (change: Partial<AppState>) => {
      if (isOvertaken()) return
      if (change.me !== undefined) this.#isEndedHere = false
      this.#set(change)
    }
    await this.#look({ ...how, set, isOvertaken }).then(
      () => set({ shownError: undefined, asOf: Date.now() }),
      (error: unknown) => set({ shownError: toShownError(error) }),
    )
  }

  async #look(reading: ReadRound): Promise<void> {
    const before = this.state
    const accounts = keepIfEqual(before.accounts, await this.ports.accounts.list())
    // A newer round has started and will find the changes.
    if (reading.isOvertaken()) return
    const current = this.#actingAs(accounts)
    const gone = this.#lost(before, accounts)
    // No terminal has signed out an account whose jar cannot be read, for which this throws.
    if (gone && before.current) await this.ports.accounts.token(before.current)
    if (current) return this.#lookAs(current, { ...reading, accounts, gone })
    reading.set({ ...signedOut, current, accounts, ended: gone ?? before.ended })
    // Without a session, only checks that the service answers.
    this.#greeter ??= await this.connect(this.ports.server)
    await apiFor(this.#greeter, reading).service.ok()
  }

  async #lookAs(current: StoredAccount, reading: AccountReadRound): Promise<void> {
    const { set, gone, accounts, isQuiet } = reading
    const before = this.state
    const isSame = this.#isAsBefore(current)
    // An ended session is checked again and again, so the screen stays as it is until there is a new one.
    const takeover = takeoverOf(before, current, this.#isOwnChange(current))
    const isKept = isSame || (isQuiet && before.me === null && !this.#hasNewSession)
    this.#hasNewSession = false
    const connection = await this.#connectionOf(current, isSame)
    set({ accounts, current, connection, takeover, ...endKnown(gone), ...(isKept ? {} : unknownPerson) })
    const api = apiFor(connection, { isQuiet })
    const me = keepIfEqual(this.state.me, await api.session.getSession())
    if (reading.isOvertaken()) return
    const found = this.#foundOver({ account: current, server: connection.server }, before)
    this.#isUnanswered = false
    if (!me) return set({ me, ended: gone ?? (isSame ? this.#lost(before, undefined) : undefined) ?? found })
    set({ me, ended: gone })
    set({ isAdmin: await this.#administration.isFor(api, me) })
    set({ organizations: keepIfEqual(this.state.organizations, await api.organization.list()) })
  }

  #following(accounts: Accounts): Accounts {
    return {
      ...accounts,
      choose: async ({ origin, email }) => {
        await accounts.choose({ origin, email })
        this.#chosen = { origin, email }
        this.#begin()
      },
      impersonate: async (account, wanted) => {
        const acting = await accounts.impersonate(account, wanted)
        this.#begin()
        return acting
      },
      endImpersonation: async (account, held) => {
        const other = await accounts.endImpersonation(account, held)
        this.#begin()
        return other
      },
      rename: async (account, email) => {
        await accounts.rename(account, email)
        this.#isEndedHere = true
        if (this.#chosen && isSameAccount(this.#chosen, account)) this.#chosen = { origin: account.origin, email }
      },
      forget: (account) => this.#leave(account, accounts.forget),
      remove: (account) => this.#leave(account, accounts.remove),
    }
  }

  #begin(): void {
    this.#hasNewSession = true
    this.#isUnanswered = true
  }

  async #connectionOf(account: StoredAccount, isSame: boolean): Promise<TuiConnection> {
    return (isSame ? this.state.connection : undefined) ?? (await this.#actAs(account))
  }

  /** This run began the session, or ended that of another account before. */
  #isOwnChange(account: StoredAccount): boolean {
    const { current } = this.state
    const hasLeft = this.#isEndedHere && current !== undefined && !isSameAccount(current, account)
    return this.#hasNewSession || hasLeft
  }

  async #leave(account: AccountRef, drop: Accounts['forget']): Promise<void> {
    await drop(account)
    const { current } = this.state
    if (current && isSameAccount(current, account)) this.#isEndedHere = true
  }

  /**
   * For a chosen account this is new to the user. For another account its end is known already, or nobody has seen it.
   */
  #foundOver(over: Omit<SessionEnd, 'how'>, before: AppState): SessionEnd | undefined {
    return this.#isUnanswered ? endFoundOnSwitch(over) : knownEndOf(over.account, before)
  }

  /** The end of the previous session, if it is gone and this run did not end it. */
  #lost({ me, current, connection }: AppState, accounts: readonly StoredAccount[] | undefined): SessionEnd | undefined {
    if (!me || !current || !connection || this.#isEndedHere) return undefined
    const isKept = accounts === undefined
    if (accounts?.some((account) => isSameAccount(account, current))) return undefined
    return sessionEndOf({ me, account: current, server: connection.server, isKept }, Date.now())
  }

  /** False after an ended session, which a new one may have followed, here or in another terminal. */
  #isAsBefore(account: StoredAccount): boolean {
    const { current, me } = this.state
    if (this.#hasNewSession || me === null || current === undefined) return false
    return isSameAccount(current, account) && current.impersonating === account.impersonating
  }

  /** While the session lasts, the account stays the same: a switch in another terminal has no effect here. */
  #actingAs(accounts: readonly StoredAccount[]): StoredAccount | undefined {
    const { me, current } = this.state
    const { server, named } = this.ports
    const chosen = this.#chosen ?? (me ? current : undefined)
    return selectAccount(accounts, { chosen, isNamed: chosen === named, home: originOf(server) })
  }

  #actAs({ origin, email }: AccountRef): Promise<TuiConnection> {
    return this.connect(serverAt(this.ports, origin), { email, isActing: true })
  }

  #watch(connection: TuiConnection): TuiConnection {
    if (this.#watched.has(connection)) return connection
    this.#watched.add(connection)
    connection.onRequest((request) => this.#see(connection, request))
    return connection
  }

  #see(connection: TuiConnection, request: ObservedRequest): void {
    const { me, connection: own } = this.state
    if (me && connection === own && endsSession(request, me)) this.#isEndedHere = true
    const link = request.status === undefined ? 'offline' : 'online'
    this.#set(request.isQuiet ? { link } : { link, requests: this.#logged(connection, request) })
  }

  #logged(connection: TuiConnection, request: ObservedRequest): readonly LoggedRequest[] {
    this.#count += 1
    const account = connection === this.state.connection ? this.state.current?.email : undefined
    const facts = { server: connection.server, account, id: String(this.#count), at: new Date() }
    return withRequest(this.state.requests, { ...request, ...facts })
  }

  #set(change: Partial<AppState>): void {
    const keys = Object.keys(change) as (keyof AppState)[]
    if (keys.every((key) => Object.is(this.state[key], change[key]))) return
    this.state = { ...this.state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

const endKnown = (gone: SessionEnd | undefined): Partial<AppState> => (gone ? { ended: gone } : {})
const unknownPerson = { me: undefined, organizations: undefined, isAdmin: undefined } as const
const signedOut = { connection: undefined, me: null, organizations: undefined, isAdmin: false } as const
