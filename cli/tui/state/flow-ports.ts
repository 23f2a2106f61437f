import type { AccountAt, FlowConnection, KeptAccount, KeptAccounts, Ports } from '../../flows/ports.ts'
import type { WaitFor } from '../../flows/waiting.ts'
import { signedOutError } from '../../output/cli-error.ts'
import type { StoredAccount } from '../ports.ts'
import { originOf } from './app-state.ts'
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
  asAccount: (account) => clientOf(store, account),
  withToken: (server, token) => store.connectWithToken(server, token),
  session: async (query) => {
    const view = await connectionOf(store).api.session.getSession(query)
    if (view) return view
    throw signedOutError('Your session is over', 'Sign in again: 2 lists the accounts.')
  },
  kept: keptBy(store),
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
async function clientOf(store: AppStore, account: AccountAt): Promise<FlowConnection> {
  const { current, connection } = store.state
  const isPresent = current && isSame(current, account) && !current.impersonating
  return connection && isPresent ? connection : store.connect(account.server, account.email)
}

const keptBy = (store: AppStore): KeptAccounts => ({
  list: async () => (await store.ports.accounts()).map(keptAccount),
  current: async () => store.state.current && accountAt(store.state.current),
  find: async (account) => {
    const found = (await store.ports.accounts()).find((one) => isSame(one, account))
    return found && account
  },
  use: ({ server, email }) => store.switchTo(server, email),
  adopt: ({ server, email }, token) => store.ports.adoptToken(server, email, token),
  forget: (account) => store.forget(storedAs(account)),
  remove: (account) => store.remove(storedAs(account)),
  token: (account) => store.ports.ownToken(storedAs(account)),
  impersonation: (account) => store.ports.impersonation(storedAs(account)),
  impersonate: (account, wanted) => store.impersonate(storedAs(account), wanted),
  endImpersonation: (account, held) => store.endImpersonation(storedAs(account), held),
  rename: (account, email) => store.rename(storedAs(account), email),
})

const keptAccount = (account: StoredAccount): KeptAccount => ({
  ...accountAt(account),
  isCurrent: account.isCurrent,
  isSignedIn: true,
})

export const accountAt = ({ origin, email }: StoredAccount): AccountAt => ({ server: origin, email })

const storedAs = ({ server, email }: AccountAt): StoredAccount => ({
  origin: originOf(server),
  email,
  isCurrent: false,
})

const isSame = ({ origin, email }: StoredAccount, account: AccountAt): boolean =>
  origin === originOf(account.server) && email === account.email
