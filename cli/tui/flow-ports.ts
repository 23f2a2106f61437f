import type { AccountAt, Connection, Kept, KeptAccount, Ports } from '../flows/ports.ts'
import { signedOut } from '../output/cli-error.ts'
import { type Desk, originOf } from './desk.ts'
import type { StoredAccount } from './seam.ts'

/** What a flow gets of the terminal UI: any service, and whoever acts at the moment. */
export const portsOf = (desk: Desk): Ports => ({
  get server() {
    return serverOf(desk)
  },
  organization: undefined,
  signedIn: async () => connectionOf(desk),
  isSignedIn: async () => Boolean(desk.state.me),
  asNobody: (server) => desk.connect(server),
  asAccount: (account) => clientOf(desk, account),
  withToken: (server, token) => desk.connectWithToken(server, token),
  session: async (query) => {
    const view = await connectionOf(desk).api.session.getSession(query)
    if (view) return view
    throw signedOut('Your session is over', 'Sign in again: 2 lists the accounts.')
  },
  kept: keptBy(desk),
  now: Date.now,
})

/** The server that a form starts with. */
export const serverOf = ({ state, seam }: Desk): string => state.connection?.server ?? seam.server

/** The connection of who is signed in. */
export function connectionOf({ state }: Desk): Connection {
  if (state.connection) return state.connection
  throw signedOut('Nobody is signed in', 'Sign in first: press 2.')
}

/** The connection of an account: the present one, if it is theirs. */
async function clientOf(desk: Desk, account: AccountAt): Promise<Connection> {
  const { current, connection } = desk.state
  const isPresent = current && isSame(current, account)
  return connection && isPresent ? connection : desk.connect(account.server, account.email)
}

const keptBy = (desk: Desk): Kept => ({
  list: async () => (await desk.seam.accounts()).map(keptAccount),
  current: async () => desk.state.current && accountAt(desk.state.current),
  find: async (account) => {
    const found = (await desk.seam.accounts()).find((one) => isSame(one, account))
    return found && account
  },
  use: ({ server, email }) => desk.switchTo(server, email),
  adopt: ({ server, email }, token) => desk.seam.adoptToken(server, email, token),
  forget: (account) => desk.seam.forget(storedAs(account)),
  remove: (account) => desk.seam.remove(storedAs(account)),
  rename: (account, email) => desk.rename(storedAs(account), email),
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
