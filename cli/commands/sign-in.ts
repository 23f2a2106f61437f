import { Command } from 'commander'
import { canonicalEmail } from '../../shared/email.ts'
import type { User } from '../../shared/entities.ts'
import { about } from '../about.ts'
import type { Context } from '../context.ts'
import { signedOut, usage } from '../refusal.ts'
import { readSecret } from '../secret.ts'
import { passwordFrom, passwordOption } from './password.ts'
import { shownUser, userFields } from './people.ts'

interface Options {
  readonly email?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly remember: boolean
}

const ready = 'postern sign-in --email alice@example.com --password-file -'

export const signInCommand = (context: Context): Command =>
  about(
    new Command('sign-in')
      .alias('login')
      .description('Sign in and keep the session on this machine')
      .option('--email <email>', 'address of the account')
      .option(...passwordOption)
      .option('--no-remember', 'a session that ends within a day')
      .option('--token-file <file>', 'file that holds a session token to adopt, - for stdin')
      .action((options: Options) => signIn(context, options)),
    {
      form: 'change',
      writes: true,
      fields: userFields,
      examples: ['postern sign-in', `${ready} < password.txt`, 'postern sign-in --token-file token.txt'],
    },
  )

async function signIn(context: Context, options: Options): Promise<void> {
  const user =
    options.tokenFile === undefined ? await withPassword(context, options) : await withToken(context, options)
  context.out.done(`Signed in as ${user.email}`, { status: 'created', resource: user })
  const { token } = await context.identity()
  if (token !== undefined) context.out.warn('POSTERN_TOKEN is set: other commands go on speaking with that token')
}

async function withPassword(context: Context, options: Options): Promise<User> {
  const passwordFile = await passwordFrom(context, options.passwordFile)
  const { email, password } = await context.ask(
    {
      email: { flag: '--email', label: 'Email', value: options.email ?? context.settings.account.value },
      password: { flag: '--password-file', label: 'Password', secret: true, value: passwordFile },
    },
    ready,
  )
  const account = canonicalEmail(email.trim())
  // With the cookie that is there already: the service then ends the session that this one replaces.
  const { api } = await context.connectAs(await context.accounts.open(account))
  const { user } = await api.account.signInEmail({ email: account, password, rememberMe: options.remember })
  await context.accounts.use(account)
  return user
}

async function withToken(context: Context, { tokenFile = '-', ...others }: Options): Promise<User> {
  if (others.email !== undefined || others.passwordFile !== undefined) {
    throw usage('--token-file adopts a session as it is: no --email or --password-file with it', undefined, [
      '--token-file',
    ])
  }
  const token = await readSecret(tokenFile, '--token-file', context.host.stdin)
  const { api, server } = await context.connectAs(token)
  const view = await api.session.getSession()
  if (!view) throw signedOut(`The token is no session of ${server}`, 'Is it expired, or of another service? See --url')
  const account = canonicalEmail(view.user.email)
  const jar = await context.accounts.open(account)
  await jar.clear()
  await jar.setToken(token)
  await context.accounts.use(account)
  return shownUser(view.user)
}
