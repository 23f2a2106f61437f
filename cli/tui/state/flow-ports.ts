import { type AccountAt, isSameAccount } from '../../accounts/accounts.ts'
import { type FlowConnection, type Ports, serverAt } from '../../flows/ports.ts'
import type { WaitFor } from '../../flows/waiting.ts'
import { signedOutError } from '../../output/cli-error.ts'
import type { AppStore } from './app-store.ts'

/** What a flow gets of the terminal UI: any service, whoever acts at the moment, and a way to show what is waited for. */
export const flowPortsOf = (store: AppStore, waitFor: WaitFor): Ports => ({
  get server() {
    return serverOf(store)
  },
  get scope() {
    const server = serverOf(store)
    return server === store.ports.server ? [] : ['--url', server]
  },
  organization: undefined,
  signedIn: async () => connectionOf(store),
  isSignedIn: async () => Boolean(store.state.me),
  asNobody: (server) => store.connect(server),
  asAccount: (account, server = serverAt(store.ports, account.origin)) => clientOf(store, account, server),
  withToken: (server, token) => store.connect(server, { token }),
  session: async (query) => {
    const view = await connectionOf(store).api.session.getSession(query)
    if (view) return view
    throw signedOutError('Your session is over', 'Sign in again: 2 lists the accounts.')
  },
  accounts: store.accounts,
  current: async () => store.state.current,
  tickets: store.ports.tickets,
  browser: store.ports.browser,
  waitFor,
  now: Date.now,
})

/** The server that a form starts with. */
export const serverOf = ({ state, ports }: AppStore): string => state.connection?.server ?? ports.server

/** Whether a form need not ask for it: a person named it, or is signed in there. */
export const isServerKnown = ({ state, ports }: AppStore): boolean => ports.isServerNamed || state.accounts.length > 0

/** The connection of the signed-in person. */
export function connectionOf({ state }: AppStore): FlowConnection {
  if (state.connection) return state.connection
  throw signedOutError('Nobody is signed in', 'Sign in first: press 2.')
}

/** The connection of an account by its own session: the present one, if it is that. */
async function clientOf(store: AppStore, account: AccountAt, server: string): Promise<FlowConnection> {
  const { current, connection } = store.state
  const isPresent = current && isSameAccount(current, account) && !current.impersonating
  return connection && isPresent ? connection : store.connect(server, { email: account.email })
}
