import { accountsOf } from './accounts/account-store.ts'
import type { AccountEntry, Accounts } from './accounts/accounts.ts'
import { ticketsOf } from './accounts/ticket-store.ts'
import { browserOf } from './browser/browser.ts'
import type { connect as Connect } from './client/connect.ts'
import type { Context } from './context.ts'
import { parseServiceAddress } from './settings/address.ts'
import { parseSwitch } from './settings/settings.ts'
import type { StoredAccount, TuiPorts } from './tui/ports.ts'

/** What the terminal UI gets of a context. It takes care of signals itself, and stderr is under its screen. */
export function tuiPortsOf({ host, settings, folders, out }: Context): TuiPorts {
  const { env, stdin, stdout, stderr, now } = host
  const leaving = new AbortController()
  const quiet = { env, stderr, signal: leaving.signal }
  const accountsAt = (server: string) => accountsOf(folders.state, parseServiceAddress(server).origin, host.now)
  const here = accountsAt(settings.address.value.base)
  // Loaded for the first request, after the first frame.
  const connectAt = async (server: string, who: Parameters<typeof Connect>[0]) => {
    const { connect } = await import('./client/connect.ts')
    const { timeout, retries, readOnly } = settings
    const address = { value: parseServiceAddress(server), from: 'screen' }
    const facts = { address, timeout, retries, readOnly, debug: { value: false, from: 'screen' } }
    const speaksByToken = () => (typeof who === 'object' ? who.token() : who) !== undefined
    return { ...connect(who, facts, quiet), speaksByToken }
  }
  return {
    stdin,
    stdout,
    server: settings.address.value.base,
    environment: {
      isAccessible: parseSwitch(env['POSTERN_ACCESSIBLE'] || 'off', 'POSTERN_ACCESSIBLE'),
      hasColour: out.style.hasColor,
    },
    tickets: ticketsOf(folders.state, now),
    // Who runs it sits before it.
    browser: browserOf(env, () => true),
    accounts: async () => (await here.list()).flatMap(storedAccount),
    clientFor: async (server, email) => connectAt(server, await accountsAt(server).open(email)),
    clientForToken: async (server, token) => connectAt(server, token),
    clientForNobody: async (server) => connectAt(server, undefined),
    ...storeOf(accountsAt),
    close: () => leaving.abort(),
  }
}

type Store = Pick<TuiPorts, 'switchAccount' | 'adoptToken' | 'forget' | 'remove' | 'rename'>

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
  rename: ({ origin, email }, to) => accountsAt(origin).rename(email, to),
})

const storedAccount = (entry: AccountEntry): readonly StoredAccount[] =>
  'account' in entry && entry.isSignedIn
    ? [{ origin: entry.origin, email: entry.account, isCurrent: entry.isCurrent }]
    : []
