import { type AccountRef, isSameAccount } from '../../accounts/accounts.ts'
import { type FlowConnection, type FlowContext, serverAt } from '../../flows/flow-context.ts'
import type { WaitFor } from '../../flows/waiting.ts'
import { signedOutError } from '../../output/cli-error.ts'
import type { AppStore } from './app-store.ts'

/**
 * The context of one flow in the terminal UI: any service, one user, and a way to show what the flow waits for. What was
 * begun as one user is not continued as another who is chosen meanwhile.
 */
export function flowContextOf(store: AppStore, waitFor: WaitFor): FlowContext {
  const { state: begun, ports } = store
  const server = serverOf(store)
  const signedIn = async () => connectionOf({ state: begun })
  return {
    server,
    scope: server === ports.server ? [] : ['--url', server],
    organization: undefined,
    signedIn,
    isSignedIn: async () => Boolean(begun.me),
    asNobody: (at) => store.connect(at),
    asAccount: (account, at = serverAt(ports, account.origin)) => clientOf(store, account, at),
    withToken: (at, token) => store.connect(serverAt(ports, at), { token }),
    session: async (query) => {
      const view = await (await signedIn()).api.session.getSession(query)
      if (view) return view
      throw signedOutError('Your session is over', 'Sign in again: 2 lists the accounts.')
    },
    accounts: store.accounts,
    current: async () => begun.current,
    tickets: ports.tickets,
    browser: ports.browser,
    waitFor,
    progress: store.activity.tellProgress,
    now: Date.now,
  }
}

/** The initial server of a form. */
export const serverOf = ({ state, ports }: AppStore): string => state.connection?.server ?? ports.server

/** Whether forms can leave out the server: the user named it or is signed in there. */
export const isServerKnown = ({ state, ports }: AppStore): boolean => ports.isServerNamed || state.accounts.length > 0

/** The connection of the signed-in user. Throws when nobody is signed in. */
export function connectionOf({ state }: Pick<AppStore, 'state'>): FlowConnection {
  if (state.connection) return state.connection
  throw signedOutError('Nobody is signed in', 'Sign in first: press 2.')
}

/** A connection with the account's own session. Reuses the current one if it fits. */
async function clientOf(store: AppStore, account: AccountRef, server: string): Promise<FlowConnection> {
  const { current, connection } = store.state
  const isPresent = current && isSameAccount(current, account) && !current.impersonating
  return connection && isPresent ? connection : store.connect(server, { email: account.email })
}
