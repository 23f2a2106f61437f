import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization, Organization } from '../../../shared/organization.ts'
import type { SeenRequest } from '../../client/connect.ts'
import type { StoredAccount, TuiConnection, TuiPorts } from '../ports.ts'
import { type ShownError, toShownError } from '../text/shown-error.ts'

export interface LoggedRequest extends SeenRequest {
  readonly id: string
  readonly server: string
  readonly at: Date
}

/** Whose session we act with, and how the service is doing. */
export interface AppState {
  readonly accounts: readonly StoredAccount[]
  readonly current: StoredAccount | undefined
  readonly connection: TuiConnection | undefined
  /** Null: nobody is signed in; undefined: not known yet. */
  readonly me: SessionView | null | undefined
  /** Those of the signed-in person; undefined: not known. */
  readonly organizations: readonly ListedOrganization[] | undefined
  readonly shownError: ShownError | undefined
  readonly link: 'connecting' | 'online' | 'offline'
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Counts the moments since which things read before may be otherwise. */
  readonly revision: number
}

const startState: AppState = {
  accounts: [],
  current: undefined,
  connection: undefined,
  me: undefined,
  organizations: undefined,
  shownError: undefined,
  link: 'connecting',
  requests: [],
  revision: 0,
}

/** The organization that calls without one are about. */
export const activeOrganization = ({ me, organizations }: AppState): Organization | undefined =>
  organizations?.find(({ id }) => id === me?.session.activeOrganizationId)

/** As many requests as a person may scroll through. */
const maxRequests = 200

/** What one run of the terminal UI knows of accounts and sessions, shared by all screens and by the accessible conversation. */
export class AppStore {
  readonly ports: TuiPorts
  state: AppState = startState
  readonly #listeners = new Set<() => void>()
  readonly #watched = new WeakSet<TuiConnection>()
  /** Who this run acts as since the person chose; until then, the current account of the server it was started for. */
  #chosen: Named | undefined
  /** Somebody signed in: the jar holds another session than the connection that was opened with it. */
  #hasNewSession = false
  #turn = 0
  #count = 0

  constructor(ports: TuiPorts) {
    this.ports = ports
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): AppState => this.state

  /** Reads the stored accounts and asks who the current one is. An answer that was overtaken by a newer load is dropped. */
  async load(): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const set = (change: Partial<AppState>) => void (turn === this.#turn && this.#set(change))
    await this.#look(set).catch((error: unknown) => set({ shownError: toShownError(error) }))
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
    this.#hasNewSession = true
  }

  /** Goes on as the same person under another address. */
  async rename(account: StoredAccount, email: string): Promise<void> {
    await this.ports.rename(account, email)
    const { origin } = account
    if (this.#chosen && isSameAccount(this.#chosen, account)) this.#chosen = { origin, email }
  }

  /** The calls of that person, or of nobody; their requests are in the log. */
  async connect(server: string, email?: string): Promise<TuiConnection> {
    const { ports } = this
    return this.#watch(await (email === undefined ? ports.clientForNobody(server) : ports.clientFor(server, email)))
  }

  async connectAs(account: StoredAccount): Promise<TuiConnection> {
    return this.connect(this.#urlOf(account), account.email)
  }

  async connectWithToken(server: string, token: string): Promise<TuiConnection> {
    return this.#watch(await this.ports.clientForToken(server, token))
  }

  async #look(set: (change: Partial<AppState>) => void): Promise<void> {
    const accounts = await this.ports.accounts()
    const current = this.#actingAs(accounts)
    if (!current) {
      set({ accounts, current, connection: undefined, me: null, organizations: undefined })
      return this.#greet(set)
    }
    const isSame = this.#isAsBefore(current)
    this.#hasNewSession = false
    const connection = (isSame ? this.state.connection : undefined) ?? (await this.connectAs(current))
    set({ accounts, current, connection, ...(isSame ? {} : { me: undefined, organizations: undefined }) })
    const me = await connection.api.session.getSession()
    set({ me, shownError: undefined })
    if (me) set({ organizations: await connection.api.organization.list() })
  }

  /** A session that was over may have been followed by another one, here or in another terminal. */
  #isAsBefore(account: StoredAccount): boolean {
    const { current, me } = this.state
    return !this.#hasNewSession && me !== null && current !== undefined && isSameAccount(current, account)
  }

  #actingAs(accounts: readonly StoredAccount[]): StoredAccount | undefined {
    const chosen = this.#chosen
    const home = originOf(this.ports.server)
    return (
      accounts.find((account) => chosen && isSameAccount(account, chosen)) ??
      accounts.find(({ isCurrent, origin }) => isCurrent && origin === home)
    )
  }

  /** A stored account knows its origin; the path of the service that this run was started for may be another than usual. */
  #urlOf({ origin }: StoredAccount): string {
    return origin === originOf(this.ports.server) ? this.ports.server : origin
  }

  /** With nobody signed in: whether the server is there at all. */
  async #greet(set: (change: Partial<AppState>) => void): Promise<void> {
    const { api } = await this.connect(this.ports.server)
    await api.service.ok()
    set({ shownError: undefined })
  }

  #watch(connection: TuiConnection): TuiConnection {
    if (this.#watched.has(connection)) return connection
    this.#watched.add(connection)
    connection.onRequest((request) => this.#log(connection.server, request))
    return connection
  }

  #log(server: string, request: SeenRequest): void {
    this.#count += 1
    const logged = { ...request, server, id: String(this.#count), at: new Date() }
    const link = request.status === undefined ? 'offline' : 'online'
    this.#set({ link, requests: [logged, ...this.state.requests].slice(0, maxRequests) })
  }

  #set(change: Partial<AppState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

type Named = Pick<StoredAccount, 'origin' | 'email'>
export const isSameAccount = (one: Named, other: Named): boolean =>
  one.origin === other.origin && one.email === other.email

export const originOf = (server: string): string => (URL.canParse(server) ? new URL(server).origin : server)
