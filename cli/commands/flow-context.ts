import type { AccountRef } from '../accounts/accounts.ts'
import { scopeFlags } from '../argv/flags.ts'
import { createBrowser } from '../browser/browser.ts'
import { bearerTokenOf, type Connection, type ConnectionCredentials } from '../client/connection.ts'
import type { Context } from '../context.ts'
import type { Tickets } from '../flows/device/ticket.ts'
import type { FlowConnection, FlowContext } from '../flows/flow-context.ts'
import { whyNotInteractive } from '../prompt/interactive.ts'
import { accountsToPlan } from './dry-run.ts'
import { requireSession } from './require-session.ts'

/** The flow context of a command, for the one service of this run. */
export function flowContextOf(context: Context): FlowContext {
  const { accounts, settings, host, flags } = context
  let own: Promise<FlowConnection> | undefined
  // Shared by all calls and subjects, so that it stays open between them and the jar is read once.
  const signedIn = () => {
    own ??= connectSignedIn(context)
    return own
  }
  const connectAs = async (who: ConnectionCredentials) => flowConnectionOf(await context.connectAs(who), who)
  return {
    server: settings.address.value.base,
    scope: scopeFlags(flags),
    get organization() {
      return settings.organization.value
    },
    signedIn,
    isSignedIn: async () => (await ownSpeaker(context)) !== undefined,
    asNobody: () => connectAs(undefined),
    asAccount: async (account) => connectAs(await accounts.open(account)),
    withToken: (_, token) => connectAs(token),
    session: async (query) => requireSession(context, await signedIn(), query),
    current: async () => (await context.identity()).account,
    accounts: flags.dryRun
      ? accountsToPlan(accounts)
      : {
          ...accounts,
          rename: async (account, email) => {
            await accounts.rename(account, email)
            await followNewAddress(context, account, email)
          },
        },
    tickets: lazyTickets(context),
    browser: createBrowser(host.env, () => whyNotInteractive(host, flags) === undefined),
    waitFor: async (task, work) => {
      const { waitAtPrompt } = await import('../prompt/waiting.ts')
      return waitAtPrompt(context, task, work)
    },
    now: host.now,
  }
}

/**
 * For commands that take their time or ask for consent: another process of this session may choose another organization
 * meanwhile, which must not change where the rest is done.
 */
export const keepOrganization = (context: FlowContext): FlowContext =>
  Object.assign(context, { kept: context.kept ?? {} })

/** What finds the only organization is loaded when there is a connection to apply it to. */
async function connectSignedIn(context: Context): Promise<FlowConnection> {
  const connection = await context.connectSignedIn()
  const { withSoleOrganization } = await import('../client/sole-organization.ts')
  return flowConnectionOf(withSoleOrganization(connection), await ownSpeaker(context))
}

/** Loaded on first use: most commands have no tickets. */
function lazyTickets({ folders, host }: Context): Tickets {
  const open = async () => (await import('../accounts/ticket-store.ts')).createTicketStore(folders.state, host.now)
  return {
    keep: async (ticket) => (await open()).keep(ticket),
    find: async (name) => (await open()).find(name),
    change: async (name, change) => (await open()).change(name, change),
    drop: async (name) => (await open()).drop(name),
  }
}

const flowConnectionOf = (service: Connection, who: ConnectionCredentials): FlowConnection => ({
  ...service,
  speaksByToken: () => bearerTokenOf(who) !== undefined,
})

async function ownSpeaker(context: Context): Promise<ConnectionCredentials> {
  const { token, account } = await context.identity()
  return account ? context.accounts.credentials(account) : token
}

/**
 * The next command would run signed out by the old address: hints name the new one, and a variable or file that still
 * names the old one is warned of.
 */
async function followNewAddress(context: Context, { email }: AccountRef, to: string): Promise<void> {
  const { account, from: source } = await context.identity()
  if (email === to || account?.email.toLowerCase() !== email.toLowerCase()) return
  if (source === '--account') context.flags = { ...context.flags, account: to }
  else if (source !== 'current account') context.out.warn(`${source} still names ${account.email}: change it to ${to}`)
}
