import type { Connection as Service } from '../connect.ts'
import type { Context } from '../context.ts'
import type { AccountAt, Connection, Kept, Ports } from '../flows/ports.ts'
import { renameHere } from './kept-session.ts'
import { requireSession } from './people.ts'

/** What a flow gets of a command's context: one service, that of this run. */
export const portsOf = (context: Context): Ports => ({
  server: context.settings.address.value.base,
  organization: context.settings.organization.value,
  signedIn: async () => speaking(await context.connectSignedIn(), await ownToken(context)),
  asNobody: async () => speaking(await context.connectAs(undefined)),
  asAccount: async ({ email }) => {
    const jar = await context.accounts.open(email)
    return speaking(await context.connectAs(jar), jar.token())
  },
  withToken: async (_, token) => speaking(await context.connectAs(token), token),
  session: async (query) => requireSession(context, await context.connectSignedIn(), query),
  kept: keptBy(context),
  now: context.host.now,
})

const speaking = (service: Service, token?: string): Connection => ({
  ...service,
  speaksByToken: () => token !== undefined,
})

async function ownToken(context: Context): Promise<string | undefined> {
  const { token, account } = await context.identity()
  return token ?? (account === undefined ? undefined : (await context.accounts.open(account)).token())
}

function keptBy(context: Context): Kept {
  const { accounts, settings } = context
  const server = settings.address.value.base
  const at = (email: string): AccountAt => ({ server, email })
  return {
    current: async () => {
      const { account } = await context.identity()
      return account === undefined ? undefined : at(account)
    },
    find: async ({ email }) => ((await accounts.open(email)).isSignedIn() ? at(email) : undefined),
    use: ({ email }) => accounts.use(email),
    adopt: async ({ email }, token) => {
      const jar = await accounts.open(email)
      await jar.clear()
      await jar.setToken(token)
    },
    forget: async ({ email }) => {
      await (await accounts.open(email)).clear()
      await accounts.leave(email)
    },
    remove: async ({ email }) => {
      await accounts.remove(email)
      await accounts.leave(email)
    },
    rename: (account, email) => renameHere(context, account.email, email),
  }
}
