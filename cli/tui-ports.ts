import { createAccountStore } from './accounts/account-store.ts'
import { type Accounts, isSameAccount, originOf, type StoredAccount } from './accounts/accounts.ts'
import { createLastSeenStore } from './accounts/last-seen.ts'
import { createTicketStore } from './accounts/ticket-store.ts'
import { createBrowser } from './browser/browser.ts'
import { bearerTokenOf, type Connection, type ConnectionCredentials } from './client/connection.ts'
import type { Context } from './context.ts'
import { pause } from './flows/waiting.ts'
import { parseServiceAddress } from './settings/address.ts'
import { parseSwitch } from './settings/settings.ts'
import type { ConnectionIdentity, TuiConnection, TuiPorts } from './tui/ports.ts'

/**
 * The part of the context that the terminal UI needs, without its signals and stderr: the UI handles signals itself and
 * covers stderr with its screen.
 */
export function createTuiPorts({ host, settings, folders, out }: Context): TuiPorts {
  const { env, stdin, stdout, now } = host
  const leaving = new AbortController()
  const quiet = quietHost(host, leaving.signal)
  // `--allow-http` applies only to the address that this run was started with.
  const own = settings.address.value
  const addressOf = (server: string) =>
    parseServiceAddress(server, { allowHttp: own.allowHttp && originOf(server) === own.origin })
  const accounts = createAccountStore(folders.state, now)
  // Loaded with the first request, after the first frame.
  const connectAt = async (server: string, as?: ConnectionIdentity) => {
    const [address, { connect }] = [{ value: addressOf(server), from: 'screen' }, await import('./client/connect.ts')]
    const { timeout, retries, readOnly, label } = settings
    const facts = { address, timeout, retries, readOnly, label, debug: { value: false, from: 'screen' } }
    const who = await credentialsOf(accounts, address.value.origin, as)
    return withQuiet({ ...connect(who, facts, quiet), speaksByToken: () => bearerTokenOf(who) !== undefined })
  }
  return {
    stdin,
    stdout,
    server: own.base,
    isServerNamed: settings.address.from !== 'built-in',
    named: accountFromSettings(settings),
    environment: environmentOf(env, settings, out),
    tickets: createTicketStore(folders.state, now),
    lastSeen: createLastSeenStore(folders.state),
    // The user of the terminal UI always sits at this terminal.
    browser: createBrowser(env, () => true),
    pause,
    accounts: onlyShown(accounts),
    connect: connectAt,
    close: () => leaving.abort(),
  }
}

async function credentialsOf(
  accounts: Accounts,
  origin: string,
  as: ConnectionIdentity | undefined,
): Promise<ConnectionCredentials> {
  if (!as || 'token' in as) return as?.token
  const jar = await accounts.open({ origin, email: as.email })
  return (as.isActing && jar.impersonation()) || jar
}

const accountFromSettings = ({ account: { value }, address }: Context['settings']): TuiPorts['named'] =>
  value === undefined ? undefined : { origin: address.value.origin, email: value.toLowerCase() }

const environmentOf = (
  env: Context['host']['env'],
  { tui: { mouse, theme, keys } }: Context['settings'],
  out: Context['out'],
): TuiPorts['environment'] => ({
  isAccessible: parseSwitch(env['POSTERN_ACCESSIBLE'] || 'off', 'POSTERN_ACCESSIBLE'),
  hasColour: out.style.hasColor,
  hasMouse: mouse.value,
  theme: theme.value,
  keys,
})

/** A quiet connection's own `quiet` is itself. */
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

/** An account whose session ended without a sign-out stays current, so it is listed too. */
const isShown = ({ isSignedIn, isCurrent, impersonating }: StoredAccount): boolean =>
  isSignedIn || isCurrent || impersonating !== undefined

function onlyShown(accounts: Accounts): Accounts {
  const list = async () => (await accounts.list()).filter(isShown)
  return {
    ...accounts,
    list,
    find: async (account) => (await list()).find((one) => isSameAccount(one, account)),
  }
}
