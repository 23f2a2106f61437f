import { Command } from 'commander'
import type { AccountRef } from '../../accounts/accounts.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { signInLine } from '../../flows/auth/sign-in-line.ts'
import { noteCurrentAccount, switchAccount } from '../../flows/auth/switch.ts'
import { columnsOf } from '../../flows/resource-fields.ts'
import { signedOutError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { relativeTime } from '../../output/time.ts'
import { flowCommand } from '../flow-command.ts'
import { flowContextOf } from '../flow-context.ts'
import { localListCommand } from '../local-list.ts'
import { requireSession } from '../require-session.ts'
import { authStatusCommand } from './status.ts'

export const authCommand = (context: Context): Command =>
  noun('auth', { summary: 'The accounts that are signed in on this machine' }, [
    authStatusCommand(context),
    authListCommand(context),
    flowCommand(context, switchAccount),
    authTokenCommand(context),
    authRefreshCommand(context),
    authJarCommand(context),
  ])

const authJarCommand = (context: Context): Command =>
  noun('jar', { summary: 'The file that stores the session of an account' }, [
    jarPathCommand(context),
    jarClearCommand(context),
  ])

const jarPathCommand = (context: Context): Command =>
  describeCommand(
    new Command('path').description('Print the path of the jar').action(async () => {
      const account = await accountOf(context, 'path')
      const path = context.accounts.path(account)
      context.out.text(path, { account: account.email, path })
    }),
    { form: 'one', fields: { account: 'text', path: 'text' }, needsSession: true, examples: [''] },
  )

const jarClearCommand = (context: Context): Command =>
  describeCommand(
    new Command('clear').description('Remove the jar, even a damaged one').action(async () => {
      const account = await accountOf(context, 'clear')
      const { email } = account
      const ready = commandLine('postern', 'auth', 'jar', 'clear', '--account', email, '--yes')
      await context.confirm(`Forget the session of ${email} here? It stays valid at the service.`, {
        ready,
        expected: [email],
      })
      await context.accounts.remove(account)
      const resource = { account: email, path: context.accounts.path(account) }
      context.out.done(`Removed the jar of ${email}`, { status: 'deleted', resource })
      for (const note of await noteCurrentAccount(flowContextOf(context))) context.out.note(note)
    }),
    {
      form: 'change',
      fields: { account: 'text', path: 'text' },
      needsSession: true,
      consent: '--yes',
      examples: ['', '--account alice@example.com --yes'],
    },
  )

async function accountOf(context: Context, verb: 'path' | 'clear'): Promise<AccountRef> {
  const { account } = await context.identity()
  if (account) return account
  throw signedOutError(
    'No account is named, and none is current',
    `Name one: postern auth jar ${verb} --account alice@example.com`,
  )
}

interface Row {
  readonly account: string
  readonly server: string
  readonly current: boolean
  readonly signedIn: boolean
  readonly impersonating: string | null
}

const fields = {
  account: { title: 'Account', type: 'text' },
  server: { title: 'Server', type: 'text' },
  current: { title: 'Current', type: 'flag' },
  signedIn: { title: 'Signed in', type: 'flag' },
  impersonating: { title: 'Impersonating', type: 'text?' },
} as const

const authListCommand = (context: Context): Command =>
  localListCommand<Row>(context, {
    summary: 'The accounts stored on this machine, for all services',
    columns: (rows) => {
      const columns = columnsOf<Row>(fields)
      return rows.some(({ impersonating }) => impersonating !== null) ? columns : columns.slice(0, -1)
    },
    id: 'account',
    empty: `No accounts yet: ${signInLine()}`,
    list: () => rowsOf(context),
    fields,
    ends: ['localState'],
    examples: ['', '--json=account,current'],
  })

async function rowsOf({ accounts, out }: Context): Promise<readonly Row[]> {
  const rows = (await accounts.list()).map((one) => ({
    account: one.email,
    server: one.origin,
    current: one.isCurrent,
    signedIn: one.isSignedIn,
    impersonating: one.impersonating ?? null,
  }))
  for (const { problem } of await accounts.refused()) out.warn(problem.message)
  return rows
}

const authRefreshCommand = (context: Context): Command =>
  describeCommand(
    new Command('refresh')
      .description('Reload the session from the service, which extends it when it is due')
      .action(async () => {
        const connection = await context.connectSignedIn()
        const { session } = await requireSession(context, connection, { disableCookieCache: 'true' })
        const resource = { id: session.id, expiresAt: session.expiresAt, updatedAt: session.updatedAt }
        context.out.done(`The session expires ${relativeTime(session.expiresAt, context.host.now())}`, {
          status: 'updated',
          resource,
        })
      }),
    {
      form: 'change',
      fields: { id: 'text', expiresAt: 'date', updatedAt: 'date' },
      calls: ['/get-session'],
      needsSession: true,
      examples: [''],
    },
  )

const authTokenCommand = (context: Context): Command =>
  describeCommand(
    new Command('token')
      .description('Print the session token, for the Authorization header of another program')
      .option('--show', 'print it even to a terminal')
      .action(({ show }: { show?: boolean }) => printToken(context, show)),
    {
      form: 'one',
      fields: { token: 'text' },
      needsSession: true,
      examples: [
        // By stdin: everybody on the machine can read the arguments of curl.
        "postern auth token --url http://localhost:4100 | sed 's/^/authorization: Bearer /' | curl -H @- http://localhost:4100/api/auth/get-session",
      ],
    },
  )

async function printToken(context: Context, show: boolean | undefined): Promise<void> {
  if (context.host.stdout.isTTY && !show) {
    throw usageError('A token is secret and is not printed to a terminal', 'postern auth token --show', ['--show'])
  }
  const { token, account } = await context.identity()
  const found = token ?? (account && (await tokenOf(context, account)))
  if (found === undefined) throw signedOutError(`Not signed in to ${context.settings.address.value.base}`, signInLine())
  context.out.text(found, { token: found })
}

/** The token of the identity that commands act as: the impersonation's, if there is one. */
async function tokenOf({ accounts }: Context, account: AccountRef): Promise<string | undefined> {
  return (await accounts.impersonation(account))?.token ?? accounts.token(account)
}
