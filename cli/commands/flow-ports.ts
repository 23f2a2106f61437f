import type { AccountEntry } from '../accounts/accounts.ts'
import { scopeFlags } from '../argv/flags.ts'
import { browserOf } from '../browser/browser.ts'
import type { Connection } from '../client/connect.ts'
import type { Context } from '../context.ts'
import type { Tickets } from '../flows/device/ticket.ts'
import type { AccountAt, FlowConnection, KeptAccount, KeptAccounts, Ports } from '../flows/ports.ts'
import { whyClosed } from '../prompt/closed.ts'
import { requireSession } from './require-session.ts'

/** What a flow gets of a command's context: one service, that of this run. */
export function flowPortsOf(context: Context): Ports {
  let own: Promise<Connection> | undefined
  // One for all calls, so that its connection stays open between them.
  const connectSignedIn = () => {
    own ??= context.connectSignedIn().then(inOwn)
    return own
  }
  return {
    server: context.settings.address.value.base,
    scope: scopeFlags(context.flags),
    organization: context.settings.organization.value,
    signedIn: async () => speaking(await connectSignedIn(), await ownToken(context)),
    isSignedIn: () => isSignedIn(context),
    asNobody: async () => speaking(await context.connectAs(undefined)),
    asAccount: async ({ email }) => {
      const jar = await context.jarOf(email)
      return speaking(await context.connectAs(jar), jar.token())
    },
    withToken: async (_, token) => speaking(await context.connectAs(token), token),
    session: async (query) => requireSession(context, await connectSignedIn(), query),
    kept: keptBy(context),
    tickets: lazyTickets(context),
    browser: browserOf(context.host.env, () => whyClosed(context.host, context.flags) === undefined),
    waitFor: async (task, work) => {
      const { waitAtPrompt } = await import('../prompt/waiting.ts')
      return waitAtPrompt(context, task, work)
    },
    now: context.host.now,
  }
}

/** Loaded with what it is about: a connection. */
const inOwn = async (connection: Connection): Promise<Connection> =>
  (await import('../client/sole-organization.ts')).inSoleOrganization(connection)

/** Most commands have none. */
function lazyTickets({ folders, host }: Context): Tickets {
  const open = async () => (await import('../accounts/ticket-store.ts')).ticketsOf(folders.state, host.now)
  return {
    keep: async (ticket) => (await open()).keep(ticket),
    find: async (name) => (await open()).find(name),
    change: async (name, change) => (await open()).change(name, change),
    drop: async (name) => (await open()).drop(name),
  }
}

const speaking = (service: Connection, token?: string): FlowConnection => ({
  ...service,
  speaksByToken: () => token !== undefined,
})

async function ownToken(context: Context): Promise<string | undefined> {
  const { token, account } = await context.identity()
  if (token !== undefined || account === undefined) return token
  const jar = await context.jarOf(account)
  return jar.impersonation()?.token ?? jar.token()
}

async function isSignedIn(context: Context): Promise<boolean> {
  const { token, account } = await context.identity()
  if (token !== undefined || account === undefined) return token !== undefined
  const jar = await context.jarOf(account)
  return jar.isSignedIn() || jar.impersonation() !== undefined
}

function keptBy(context: Context): KeptAccounts {
  const server = context.settings.address.value.base
  const at = (email: string): AccountAt => ({ server, email })
  return {
    list: async () => (await (await context.accounts()).list()).flatMap(keptAccount),
    current: async () => {
      const { account } = await context.identity()
      return account === undefined ? undefined : at(account)
    },
    find: async ({ email }) => ((await context.jarOf(email)).isSignedIn() ? at(email) : undefined),
    use: async ({ email }) => (await context.accounts()).use(email),
    adopt: async ({ email }, token) => {
      const jar = await context.jarOf(email)
      await jar.clear()
      await jar.setToken(token)
    },
    forget: async ({ email }) => {
      const accounts = await context.accounts()
      await (await accounts.open(email)).clear()
      await accounts.leave(email)
    },
    remove: async ({ email }) => {
      const accounts = await context.accounts()
      await accounts.remove(email)
      await accounts.leave(email)
    },
    token: async ({ email }) => (await context.accounts()).token(email),
    impersonation: async ({ email }) => (await context.jarOf(email)).impersonation(),
    impersonate: async ({ email }, wanted) => (await context.jarOf(email)).impersonate(wanted),
    endImpersonation: async ({ email }, held) => (await context.jarOf(email)).endImpersonation(held),
    rename: async (account, email) => {
      if (account.email === email) return
      await (await context.accounts()).rename(account.email, email)
      await tellWhoStillNames(context, account.email, email)
    },
  }
}

const keptAccount = (entry: AccountEntry): readonly KeptAccount[] => {
  if ('problem' in entry) return []
  const { origin: server, account: email, isCurrent, isSignedIn } = entry
  return [{ server, email, isCurrent, isSignedIn }]
}

/** A variable or a file that names the old address would make the next command act as nobody. */
async function tellWhoStillNames(context: Context, from: string, to: string): Promise<void> {
  const { account, from: source } = await context.identity()
  if (account?.toLowerCase() !== from.toLowerCase() || source === 'current account' || source === '--account') return
  context.out.warn(`${source} still names ${account}: change it to ${to}`)
}
