import { Command } from 'commander'
import type { SessionView } from '../../../shared/entities.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'

interface Status {
  readonly server: string
  readonly signedIn: boolean
  readonly account: string | null
  /** Who said so: a flag, a variable, a file. */
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
  { header: 'Account', value: (status) => status.account },
  { header: 'From', value: (status) => status.source },
  { header: 'Session', value: (status) => status.sessionId },
  { header: 'Expires', value: (status) => status.expiresAt },
]

const explanationColumns: readonly Column<Explanation>[] = [
  { header: 'Setting', value: (row) => row.setting },
  { header: 'Value', value: (row) => row.value },
  { header: 'From', value: (row) => row.source },
]

export const authStatusCommand = (context: Context): Command =>
  about(
    new Command('status')
      .description('Say whether this run is signed in, as whom and where')
      .option('--explain', 'every setting with its value and who set it; asks the service nothing')
      .action(({ explain }: { explain?: boolean }) => (explain ? explainAll(context) : report(context))),
    {
      form: 'one',
      fields: {
        server: 'text',
        signedIn: 'flag',
        account: 'text?',
        source: 'text',
        userId: 'text?',
        sessionId: 'text?',
        expiresAt: 'date?',
        setting: 'text',
        value: 'text?',
      },
      examples: ['postern auth status', 'postern auth status --explain'],
    },
  )

async function report(context: Context): Promise<void> {
  const { account = null, from: source } = await context.identity()
  const { base: server } = context.settings.address.value
  const view = (await isWorthAsking(context)) ? await (await context.connect()).api.session.getSession() : null
  const status = view ? signedInStatus(view) : { account, ...nobody }
  await context.out.one({ server, source, ...status }, columns)
  if (!view) context.out.note(`Sign in: postern sign-in${account === null ? '' : ` --email ${account}`}`)
}

const nobody = { signedIn: false, userId: null, sessionId: null, expiresAt: null }

const signedInStatus = ({ user, session }: SessionView) => ({
  signedIn: true,
  account: user.email,
  userId: user.id,
  sessionId: session.id,
  expiresAt: session.expiresAt,
})

async function isWorthAsking(context: Context): Promise<boolean> {
  const { account, token } = await context.identity()
  return token !== undefined || (account !== undefined && (await context.jarOf(account)).isSignedIn())
}

async function explainAll(context: Context): Promise<void> {
  const { settings, folders, configPath } = context
  const { account, token, from } = await context.identity()
  const rows: readonly Explanation[] = [
    row('url', settings.address, (address) => address.base),
    row('profile', settings.profile),
    { setting: 'account', value: account ?? null, source: account === undefined ? 'not set' : from },
    row('org', settings.organization),
    { setting: 'token', value: token === undefined ? null : '(set)', source: token === undefined ? 'not set' : from },
    row('timeout', settings.timeout, (milliseconds) => `${milliseconds} ms`),
    row('retries', settings.retries),
    row('color', settings.color),
    row('read-only', settings.readOnly, onOff),
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
