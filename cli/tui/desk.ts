import type { SessionView } from '../../shared/entities.ts'
import { type Fault, faultOf } from './fault.ts'
import type { Connection, SeenRequest, StoredAccount, TuiSeam } from './seam.ts'

export interface LoggedRequest extends SeenRequest {
  readonly id: string
  readonly server: string
  readonly at: Date
}

/** Whose session we act with, and how the service is doing. */
export interface DeskState {
  readonly accounts: readonly StoredAccount[]
  readonly current: StoredAccount | undefined
  readonly connection: Connection | undefined
  /** Null: nobody is signed in; undefined: not known yet. */
  readonly me: SessionView | null | undefined
  readonly fault: Fault | undefined
  readonly link: 'connecting' | 'online' | 'offline'
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Counts the moments since which things read before may be otherwise. */
  readonly revision: number
}

const startState: DeskState = {
  accounts: [],
  current: undefined,
  connection: undefined,
  me: undefined,
  fault: undefined,
  link: 'connecting',
  requests: [],
  revision: 0,
}

/** As many requests as a person may scroll through. */
const longestLog = 200

/** What one run of the terminal UI knows of accounts and sessions, shared by all screens and by the accessible front. */
export class Desk {
  readonly seam: TuiSeam
  state: DeskState = startState
  readonly #listeners = new Set<() => void>()
  readonly #watched = new WeakSet<Connection>()
  #turn = 0
  #count = 0

  constructor(seam: TuiSeam) {
    this.seam = seam
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): DeskState => this.state

  /** Reads the stored accounts and asks who the current one is. An answer that was overtaken by a newer load is dropped. */
  async load(): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const found = await this.#look().catch((error: unknown) => ({ fault: faultOf(error) }))
    if (turn === this.#turn) this.#set({ fault: undefined, ...found })
  }

  /** After something was changed, or when a person asks for it: everything on the screens is read again. */
  async refresh(): Promise<void> {
    this.#set({ revision: this.state.revision + 1 })
    await this.load()
  }

  /** The calls of that person, or of nobody; their requests are in the log. */
  async connect(server: string, email?: string): Promise<Connection> {
    const { seam } = this
    return this.#watch(await (email === undefined ? seam.clientForNobody(server) : seam.clientFor(server, email)))
  }

  async connectWithToken(server: string, token: string): Promise<Connection> {
    return this.#watch(await this.seam.clientForToken(server, token))
  }

  async #look(): Promise<Partial<DeskState>> {
    const accounts = await this.seam.accounts()
    const current = accounts.find((account) => account.isCurrent)
    if (!current) {
      this.#set({ accounts, current, connection: undefined, me: null })
      return this.#greet()
    }
    const isSame = this.state.connection && this.state.current && isSameAccount(this.state.current, current)
    const connection = isSame ? this.state.connection : await this.connect(current.origin, current.email)
    this.#set({ accounts, current, connection, ...(isSame ? {} : { me: undefined }) })
    return { me: (await connection?.api.session.getSession()) ?? null }
  }

  /** With nobody signed in: whether the server is there at all. */
  async #greet(): Promise<Partial<DeskState>> {
    const { api } = await this.connect(this.seam.server)
    await api.service.ok()
    return {}
  }

  #watch(connection: Connection): Connection {
    if (this.#watched.has(connection)) return connection
    this.#watched.add(connection)
    connection.onRequest((request) => this.#log(connection.server, request))
    return connection
  }

  #log(server: string, request: SeenRequest): void {
    this.#count += 1
    const logged = { ...request, server, id: String(this.#count), at: new Date() }
    const link = request.status === undefined ? 'offline' : 'online'
    this.#set({ link, requests: [logged, ...this.state.requests].slice(0, longestLog) })
  }

  #set(change: Partial<DeskState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

export const isSameAccount = (one: StoredAccount, other: StoredAccount): boolean =>
  one.origin === other.origin && one.email === other.email
