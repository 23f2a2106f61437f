import { Command } from 'commander'
import { canonicalEmail } from '../../shared/email.ts'
import { about } from '../about.ts'
import type { Context } from '../context.ts'
import { passwordFrom, passwordOption } from './password.ts'
import { userFields } from './people.ts'

interface Options {
  readonly email?: string
  readonly name?: string
  readonly passwordFile?: string
  readonly signIn: boolean
}

const ready = 'postern sign-up --email alice@example.com --name Alice --password-file -'

export const signUpCommand = (context: Context): Command =>
  about(
    new Command('sign-up')
      .alias('signup')
      .description('Create an account and sign in with it')
      .option('--email <email>', 'address of the new account')
      .option('--name <name>', 'name of the person')
      .option(...passwordOption)
      .option('--no-sign-in', 'only create the account')
      .action((options: Options) => signUp(context, options)),
    { form: 'change', writes: true, fields: userFields, examples: ['postern sign-up', `${ready} < password.txt`] },
  )

async function signUp(context: Context, options: Options): Promise<void> {
  const passwordFile = await passwordFrom(context, options.passwordFile)
  const { email, name, password } = await context.ask(
    {
      email: { flag: '--email', label: 'Email', value: options.email },
      name: { flag: '--name', label: 'Name', value: options.name },
      password: { flag: '--password-file', label: 'Password', secret: true, repeat: true, value: passwordFile },
    },
    ready,
  )
  const account = canonicalEmail(email.trim())
  const jar = options.signIn ? await context.accounts.open(account) : undefined
  const { api } = await context.connectAs(jar)
  const { user, token } = await api.account.signUpEmail({ email: account, name, password })
  if (jar && token !== null) await context.accounts.use(account)
  // The service opened a session all the same; nobody keeps it, so it ends here.
  if (!jar && token !== null) await (await context.connectAs(token)).api.account.signOut({})
  const isIn = jar !== undefined && token !== null
  context.out.done(`${isIn ? 'Signed up and in as' : 'Signed up'} ${user.email}`, { status: 'created', resource: user })
  if (token === null) context.out.note(mustVerify(user.email))
  if (!isIn) context.out.note(`Sign in: postern sign-in --email ${user.email}`)
}

/** The service does not say why it opened no session; most likely it wants the address verified first. */
const mustVerify = (email: string): string =>
  `If the address has to be verified first, a mail to ${email} has the link: postern account email verify LINK`
