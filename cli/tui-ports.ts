import { accountsOf } from './accounts/account-store.ts'
import type { AccountEntry, Accounts } from './accounts/accounts.ts'
import { ticketsOf } from './accounts/ticket-store.ts'
import { visitsOf } from './accounts/visits.ts'
import { browserOf } from './browser/browser.ts'
import type { connect as Connect, Connection, Speaker } from './client/connect.ts'
import type { Context } from './context.ts'
import { pause } from './flows/pause.ts'
import { parseServiceAddress } from './settings/address.ts'
import { parseSwitch } from './settings/settings.ts'
import type { StoredAccount, TuiConnection, TuiPorts } from './tui/ports.ts'
import { originOf } from './tui/state/app-state.ts'

/** What the terminal UI gets of a context. It takes care of signals itself, and stderr is under its screen. */
export function tuiPortsOf({ host, settings, folders, out }: Context): TuiPorts {
  const { env, stdin, stdout, now } = host
  const leaving = new AbortController()
  const quiet = quietHost(host, leaving.signal)
  // What was allowed for the address of this run holds for no other.
  const own = settings.address.value
  const addressOf = (server: string) =>
    parseServiceAddress(server, { allowHttp: own.allowHttp && originOf(server) === own.origin })
  const accountsAt = (server: string) => accountsOf(folders.state, addressOf(server).origin, host.now)
  const here = accountsAt(own.base)
  // Loaded for the first request, after the first frame.
  const connectAt = async (server: string, who: Parameters<typeof Connect>[0]) => {
    const { connect } = await import('./client/connect.ts')
    const { timeout, retries, readOnly, label } = settings
    const address = { value: addressOf(server), from: 'screen' }
    const facts = { address, timeout, retries, readOnly, label, debug: { value: false, from: 'screen' } }
    return withQuiet({ ...connect(who, facts, quiet), speaksByToken: () => tokenOf(who) !== undefined })
  }
  return {
    stdin,
    stdout,
    server: own.base,
    isServerNamed: settings.address.from !== 'built-in',
    named: namedIn(settings),
    environment: environmentOf(env, out),
    tickets: ticketsOf(folders.state, now),
    visits: visitsOf(folders.state),
    // Who runs it sits before it.
    browser: browserOf(env, () => true),
    pause,
    accounts: async () => (await here.list()).flatMap(storedAccount),
    clientFor: async (server, email) => connectAt(server, await accountsAt(server).open(email)),
    clientActing: async (server, email) => {
      const jar = await accountsAt(server).open(email)
      return connectAt(server, jar.impersonation() ?? jar)
    },
    clientForToken: async (server, token) => connectAt(server, token),
    clientForNobody: async (server) => connectAt(server, undefined),
    ...storeOf(accountsAt),
    close: () => leaving.abort(),
  }
}

const namedIn = ({ account: { value }, address }: Context['settings']): TuiPorts['named'] =>
  value === undefined ? undefined : { origin: address.value.origin, email: value.toLowerCase() }

const environmentOf = (env: Context['host']['env'], out: Context['out']): TuiPorts['environment'] => ({
  isAccessible: parseSwitch(env['POSTERN_ACCESSIBLE'] || 'off', 'POSTERN_ACCESSIBLE'),
  hasColour: out.style.hasColor,
})

/** Quiet calls are as quiet when they are asked to be once more. */
function withQuiet(connection: Connection & Pick<TuiConnection, 'speaksByToken'>): TuiConnection {
  const quiet: TuiConnection = {
    ...connection,
    api: connection.quietApi,
    get quiet() {
      return quiet
    },
  }
  return { ...connection, quiet }
}

const quietHost = ({ env, hostname, stderr }: Context['host'], signal: AbortSignal) => ({
  env,
  ...(hostname !== undefined && { hostname }),
  stderr,
  signal,
})

function tokenOf(who: Speaker): string | undefined {
  if (typeof who !== 'object') return who
  return typeof who.token === 'string' ? who.token : who.token()
}

type Store = Pick<
  TuiPorts,
  | 'switchAccount'
  | 'adoptToken'
  | 'forget'
  | 'remove'
  | 'rename'
  | 'ownToken'
  | 'impersonation'
  | 'impersonate'
  | 'endImpersonation'
>

/** What changes the accounts that are kept here. */
const storeOf = (accountsAt: (server: string) => Accounts): Store => ({
  switchAccount: (server, email) => accountsAt(server).use(email),
  adoptToken: async (server, email, token) => {
    const jar = await accountsAt(server).open(email)
    await jar.clear()
    await jar.setToken(token)
  },
  forget: async ({ origin, email }) => {
    const accounts = accountsAt(origin)
    await (await accounts.open(email)).clear()
    await accounts.leave(email)
  },
  remove: async ({ origin, email }) => {
    const accounts = accountsAt(origin)
    await accounts.remove(email)
    await accounts.leave(email)
  },
  ownToken: ({ origin, email }) => accountsAt(origin).token(email),
  impersonation: async ({ origin, email }) => (await accountsAt(origin).open(email)).impersonation(),
  impersonate: async ({ origin, email }, wanted) => (await accountsAt(origin).open(email)).impersonate(wanted),
  endImpersonation: async ({ origin, email }, held) => (await accountsAt(origin).open(email)).endImpersonation(held),
  rename: ({ origin, email }, to) => accountsAt(origin).rename(email, to),
})

/** Whose session ended and who did not sign out is still the current one: what happened to them is told. */
const storedAccount = (entry: AccountEntry): readonly StoredAccount[] =>
  'account' in entry && (entry.isSignedIn || entry.isCurrent || entry.impersonating !== undefined)
    ? [storedIn(entry)]
    : []

const storedIn = ({
  origin,
  account: email,
  isCurrent,
  impersonating,
}: Extract<AccountEntry, { readonly account: string }>): StoredAccount => ({
  origin,
  email,
  isCurrent,
  ...(impersonating !== undefined && { impersonating }),
})
