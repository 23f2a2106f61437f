import type { SeenRequest } from '../../client/connect.ts'
import type { HeldImpersonation } from '../../flows/ports.ts'
import type { StoredAccount, TuiConnection, TuiPorts } from '../ports.ts'
import { toShownError } from '../text/shown-error.ts'
import { Activity } from './activity.ts'
import { Administration } from './administration.ts'
import {
  type AppState,
  actingAmong,
  endOf,
  isSameAccount,
  type Named,
  originOf,
  type Stale,
  startState,
} from './app-state.ts'
import { isBeat } from './beat.ts'
import { type Ended, endedOf, endsSession, foundOver } from './ended.ts'
import { type AccountReading, apiFor, type Reading } from './reading.ts'
import { type LoggedRequest, withRequest } from './request-log.ts'
import { same } from './same.ts'

/** What one run of the terminal UI knows of accounts and sessions, shared by all screens and by the accessible conversation. */
export class AppStore {
  readonly ports: TuiPorts
  /** What somebody waits for. */
  readonly activity = new Activity()
  state: AppState = startState
  readonly #listeners = new Set<() => void>()
  readonly #watched = new WeakSet<TuiConnection>()
  readonly #administration = new Administration()
  /** Who this run acts as since the person chose; until then who was named for it, or was current when it began. */
  #chosen: Named | undefined
  /** Somebody signed in: the jar holds another session than the connection that was opened with it. */
  #hasNewSession = false
  /** An account was chosen, and nobody has answered yet whether its session lives. */
  #isUnanswered = false
  /** The calls of nobody at the server that this run was started for. */
  #greeter: TuiConnection | undefined
  #isEndedHere = false
  #beatAt = 0
  #turn = 0
  #count = 0

  constructor(ports: TuiPorts) {
    this.ports = ports
    this.#chosen = ports.named
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): AppState => this.state

  /** Reads the stored accounts and asks who the current one is. An answer that was overtaken by a newer load is dropped. */
  async load(): Promise<void> {
    await this.activity.during(() => this.#read({ isQuiet: false }))
  }

  /** The same without being asked to; not while somebody waits for an answer, which may change what is true. */
  async poll(): Promise<boolean> {
    if (this.activity.isBusy()) return false
    const before = this.state
    await this.#read({ isQuiet: true })
    if (isBeat(before, this.state, Date.now() - this.#beatAt)) {
      this.#beatAt = Date.now()
      this.#set({ beat: this.state.beat + 1 })
    }
    return true
  }

  /** Says what is on the screen and could not be read again; answers how to take that back. */
  noteStale(stale: Stale): () => void {
    this.#set({ stale })
    return () => void (this.state.stale === stale && this.#set({ stale: undefined }))
  }

  /** Reads the accounts of this machine again: another terminal may have signed in or out. */
  async readAccounts(): Promise<readonly StoredAccount[]> {
    this.#set({ accounts: same(this.state.accounts, await this.ports.accounts()) })
    return this.state.accounts
  }

  /** After something was changed, or when a person asks for it: everything on the screens is read again. */
  async refresh(): Promise<void> {
    this.#set({ revision: this.state.revision + 1 })
    await this.load()
  }

  /** Acts as that person from now on, here and in later commands. */
  async switchTo(server: string, email: string): Promise<void> {
    await this.ports.switchAccount(server, email)
    this.#chosen = { origin: originOf(server), email }
    this.#begin()
  }

  /** From now on that account acts as somebody else. */
  async impersonate(account: StoredAccount, wanted: HeldImpersonation): Promise<HeldImpersonation> {
    const acting = await this.ports.impersonate(account, wanted)
    this.#begin()
    return acting
  }

  /** From now on that account acts as itself again. */
  async endImpersonation(account: StoredAccount, held: HeldImpersonation): Promise<HeldImpersonation | undefined> {
    const other = await this.ports.endImpersonation(account, held)
    this.#begin()
    return other
  }

  /** Goes on as the same person under another address. */
  async rename(account: StoredAccount, email: string): Promise<void> {
    await this.ports.rename(account, email)
    this.#isEndedHere = true
    const { origin } = account
    if (this.#chosen && isSameAccount(this.#chosen, account)) this.#chosen = { origin, email }
  }

  /** Drops the jar of an account whose session is over. */
  async forget(account: StoredAccount): Promise<void> {
    await this.ports.forget(account)
    this.#leave(account)
  }

  /** Removes all that is kept of an account that is no more. */
  async remove(account: StoredAccount): Promise<void> {
    await this.ports.remove(account)
    this.#leave(account)
  }

  /** The calls of that person, or of nobody; their requests are in the log. */
  async connect(server: string, email?: string): Promise<TuiConnection> {
    const { ports } = this
    return this.#watch(await (email === undefined ? ports.clientForNobody(server) : ports.clientFor(server, email)))
  }

  async connectAs(account: StoredAccount): Promise<TuiConnection> {
    return this.#watch(await this.ports.clientActing(this.#urlOf(account), account.email))
  }

  async connectWithToken(server: string, token: string): Promise<TuiConnection> {
    return this.#watch(await this.ports.clientForToken(server, token))
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

  async #look(reading: Reading): Promise<void> {
    const before = this.state
    const accounts = same(before.accounts, await this.ports.accounts())
    // What has begun since is for the newer look to find.
    if (reading.isOvertaken()) return
    const current = this.#actingAs(accounts)
    const gone = this.#lost(before, accounts)
    if (current) return this.#lookAs(current, { ...reading, accounts, gone })
    reading.set({ ...signedOut, current, accounts, ended: gone ?? before.ended })
    // With nobody signed in: whether the server is there at all.
    this.#greeter ??= await this.connect(this.ports.server)
    await apiFor(this.#greeter, reading).service.ok()
  }

  async #lookAs(current: StoredAccount, reading: AccountReading): Promise<void> {
    const { set, gone, accounts, isQuiet } = reading
    const before = this.state
    const isSame = this.#isAsBefore(current)
    // What is over is asked about again and again: nothing moves on the screen until there is another session.
    const isKept = isSame || (isQuiet && before.me === null && !this.#hasNewSession)
    this.#hasNewSession = false
    const connection = await this.#connectionOf(current, isSame)
    set({ accounts, current, connection, ...(isKept ? {} : unknownPerson) })
    const api = apiFor(connection, { isQuiet })
    const me = same(this.state.me, await api.session.getSession())
    if (reading.isOvertaken()) return
    const found = this.#foundOver({ account: current, server: connection.server }, before)
    this.#isUnanswered = false
    if (!me) return set({ me, ended: gone ?? (isSame ? this.#lost(before, undefined) : undefined) ?? found })
    set({ me, ended: gone })
    set({ isAdmin: await this.#administration.isFor(api, me) })
    set({ organizations: same(this.state.organizations, await api.organization.list()) })
  }

  #begin(): void {
    this.#hasNewSession = true
    this.#isUnanswered = true
  }

  async #connectionOf(account: StoredAccount, isSame: boolean): Promise<TuiConnection> {
    return (isSame ? this.state.connection : undefined) ?? (await this.connectAs(account))
  }

  #leave(account: StoredAccount): void {
    const { current } = this.state
    if (current && isSameAccount(current, account)) this.#isEndedHere = true
  }

  /** Of an account that was chosen it is news; of another one it is known, or nobody saw it end. */
  #foundOver(over: Omit<Ended, 'how'>, before: AppState): Ended | undefined {
    return this.#isUnanswered ? foundOver(over) : endOf(over.account, before)
  }

  /** The session that was there before, where it is not any more and nobody here has ended it. */
  #lost({ me, current, connection }: AppState, accounts: readonly StoredAccount[] | undefined): Ended | undefined {
    if (!me || !current || !connection || this.#isEndedHere) return undefined
    const isKept = accounts === undefined
    if (accounts?.some((account) => isSameAccount(account, current))) return undefined
    return endedOf({ me, account: current, server: connection.server, isKept }, Date.now())
  }

  /** A session that was over may have been followed by another one, here or in another terminal. */
  #isAsBefore(account: StoredAccount): boolean {
    const { current, me } = this.state
    if (this.#hasNewSession || me === null || current === undefined) return false
    return isSameAccount(current, account) && current.impersonating === account.impersonating
  }

  /** As long as its session lives it stays who it is: what another terminal chooses is not chosen here. */
  #actingAs(accounts: readonly StoredAccount[]): StoredAccount | undefined {
    const { me, current } = this.state
    const { server, named } = this.ports
    const chosen = this.#chosen ?? (me ? current : undefined)
    return actingAmong(accounts, { chosen, isNamed: chosen === named, home: originOf(server) })
  }

  /** A stored account knows its origin; the path of the service that this run was started for may be another than usual. */
  #urlOf({ origin }: StoredAccount): string {
    return origin === originOf(this.ports.server) ? this.ports.server : origin
  }

  #watch(connection: TuiConnection): TuiConnection {
    if (this.#watched.has(connection)) return connection
    this.#watched.add(connection)
    connection.onRequest((request) => this.#see(connection, request))
    return connection
  }

  #see(connection: TuiConnection, request: SeenRequest): void {
    const { me, connection: own } = this.state
    if (me && connection === own && endsSession(request, me)) this.#isEndedHere = true
    const link = request.status === undefined ? 'offline' : 'online'
    this.#set(request.isQuiet ? { link } : { link, requests: this.#logged(connection, request) })
  }

  #logged(connection: TuiConnection, request: SeenRequest): readonly LoggedRequest[] {
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

const unknownPerson = { me: undefined, organizations: undefined, isAdmin: false } as const
const signedOut = { connection: undefined, me: null, organizations: undefined, isAdmin: false } as const
