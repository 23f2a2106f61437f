import { Command } from 'commander'
import { isMachineAddress } from '../../../shared/email.ts'
import type { AccountRef } from '../../accounts/accounts.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { printNextStep } from '../../argv/scoped-hint.ts'
import type { Context } from '../../context.ts'
import { stopImpersonationHint } from '../../flows/admin/impersonation.ts'
import { isKey, principalOf } from '../../flows/auth/principal.ts'
import { signInLine } from '../../flows/auth/sign-in-line.ts'
import type { Column } from '../../output/cell.ts'
import { allowHttpOf } from '../../settings/settings.ts'

interface Status {
  readonly server: string
  readonly signedIn: boolean
  readonly account: string | null
  /** Who makes the calls, for people: the address of a machine would mean nothing to them. */
  readonly principal: string | null
  /** Who impersonates that account. */
  readonly impersonatedBy: string | null
  /** Where the account comes from: a flag, a variable or a file. */
  readonly source: string
  readonly userId: string | null
  readonly sessionId: string | null
  readonly expiresAt: Date | null
}

interface Explanation {
  readonly setting: string
  readonly value: string | null
  readonly source: string
}

const columns: readonly Column<Status>[] = [
  { header: 'Server', value: (status) => status.server },
  { header: 'Signed in', value: (status) => status.signedIn },
  { header: 'Account', value: ({ account, principal }) => principal ?? account },
  { header: 'From', value: (status) => status.source },
  { header: 'Session', value: (status) => status.sessionId },
  { header: 'Expires', value: (status) => status.expiresAt },
]

/** `own`: the account whose jar holds the impersonation. A token alone gives an id but no address. */
const impersonatingColumns = (own: string | null): readonly Column<Status>[] => [
  { header: 'Acting as', value: ({ account }) => `IMPERSONATING ${account}` },
  ...columns,
  {
    header: 'By',
    value: ({ account, impersonatedBy }) => (own === account ? null : own) ?? impersonatedBy,
    full: ({ impersonatedBy }) => impersonatedBy,
  },
]

const explanationColumns: readonly Column<Explanation>[] = [
  { header: 'Setting', value: (row) => row.setting },
  { header: 'Value', value: (row) => row.value },
  { header: 'From', value: (row) => row.source },
]

export const authStatusCommand = (context: Context): Command =>
  describeCommand(
    new Command('status')
      .description('Show whether you are signed in, as whom and to which service')
      .option('--explain', 'where the service, the account and other settings in use come from; sends no request')
      .action(({ explain }: { explain?: boolean }) => (explain ? explainAll(context) : report(context))),
    {
      form: 'one',
      fields: {
        server: 'text',
        signedIn: 'flag',
        account: 'text?',
        principal: 'text?',
        impersonatedBy: 'text?',
        source: 'text',
        userId: 'text?',
        sessionId: 'text?',
        expiresAt: 'date?',
      },
      others: [{ by: '--explain', form: 'list', fields: { setting: 'text', value: 'text?', source: 'text' } }],
      calls: ['/get-session'],
      globalFlags: ['--account'],
      examples: ['', '--explain'],
    },
  )

async function report(context: Context): Promise<void> {
  const { account, from: source } = await context.identity()
  const email = account?.email ?? null
  const { base: server } = context.settings.address.value
  const status = (await signedInStatus(context)) ?? { account: email, ...nobody }
  const shown = status.impersonatedBy === null ? columns : impersonatingColumns(email)
  await context.out.one({ server, source, ...status }, shown)
  if (!status.signedIn) printNextStep(context, await hintFor(context, account))
}

async function hintFor({ accounts }: Context, account: AccountRef | undefined): Promise<string> {
  const impersonation = account && (await accounts.impersonation(account))
  return impersonation ? stopImpersonationHint : `Sign in: ${signInLine(account?.email)}`
}

const nobody = {
  signedIn: false,
  principal: null,
  impersonatedBy: null,
  userId: null,
  sessionId: null,
  expiresAt: null,
}

async function signedInStatus(context: Context) {
  const { account, token } = await context.identity()
  if (!(token ?? (account && (await context.accounts.credentials(account))))) return undefined
  const { api } = await context.connect()
  const view = await api.session.getSession()
  if (!view) return undefined
  const { user, session } = view
  const { impersonatedBy, id: sessionId, expiresAt } = session
  const isNamed = isKey(view) || isMachineAddress(user.email)
  const principal = isNamed ? await principalOf(api, view) : user.email
  return { signedIn: true, account: user.email, principal, impersonatedBy, userId: user.id, sessionId, expiresAt }
}

async function explainAll(context: Context): Promise<void> {
  const { settings, folders, configPath } = context
  const { account, token, from } = await context.identity()
  const rows: readonly Explanation[] = [
    row('url', settings.address, (address) => address.base),
    row('allow-http', allowHttpOf(settings.address, context), onOff),
    row('profile', settings.profile),
    { setting: 'account', value: account?.email ?? null, source: account ? from : 'not set' },
    row('org', settings.organization),
    { setting: 'token', value: token === undefined ? null : '(set)', source: token === undefined ? 'not set' : from },
    row('timeout', settings.timeout, (milliseconds) => `${milliseconds} ms`),
    row('retries', settings.retries),
    row('color', settings.color),
    row('read-only', settings.readOnly, onOff),
    row('mouse', settings.tui.mouse, onOff),
    row('theme', settings.tui.theme),
    row('update-notice', settings.updateNotice, onOff),
    row('debug', settings.debug, onOff),
    { setting: 'config', value: configPath, source: folderSource(context, 'POSTERN_CONFIG_DIR') },
    { setting: 'state', value: folders.state, source: folderSource(context, 'POSTERN_STATE_DIR') },
  ]
  await context.out.list(rows, explanationColumns, { empty: '', id: 'setting' })
}

const row = <T>(
  setting: string,
  { value, from }: { value: T; from: string },
  show = String as (value: T) => string,
) => ({
  setting,
  value: value === undefined ? null : show(value),
  source: from,
})

const onOff = (value: boolean): string => (value ? 'on' : 'off')

const folderSource = ({ host }: Context, variable: string): string => (host.env[variable] ? variable : 'built-in')
