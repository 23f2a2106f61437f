import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { type ListedUser, listedUser, listedUserFields } from '../../flows/admin/users.ts'
import type { Bootstrap } from '../../local/local.ts'
import { CliError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'

interface Options {
  readonly email?: string
  readonly force?: boolean
}

export const adminBootstrapCommand = (context: Context): Command =>
  about(
    new Command('bootstrap')
      .description('Make the first administrator of the service on this machine; takes the settings that it runs with')
      .option('--email <email>', 'their address; where nobody has it, an account is made, after asking')
      .option(
        '--force',
        'also where there is an administrator already, or the user is banned; a new link for who has no password yet',
      )
      .action((options: Options) => bootstrap(context, options)),
    {
      form: 'change',
      fields: { ...listedUserFields, link: 'text?', lacksPassword: 'flag' },
      examples: ['--email ann@example.com', '--email ann@example.com --yes', '--email ann@example.com --force'],
      writes: true,
    },
  )

/** What the refusals of the service's own code mean here; EMAIL stands for the address that was given, with --force where that was given, too. */
const refusals = {
  'admin-exists': [
    exitCodes.conflict,
    'There is an administrator already',
    'Ask them, or insist: postern admin bootstrap --email EMAIL --force',
  ],
  banned: [
    exitCodes.conflict,
    'That user is banned',
    'Lift the ban and go on: postern admin bootstrap --email EMAIL --force',
  ],
  'invalid-email': [exitCodes.usage, 'An e-mail address looks like ada@example.com', undefined],
  'no-such-user': [exitCodes.notFound, 'Nobody has that address', undefined],
  'user-exists': [
    exitCodes.conflict,
    'Somebody signed up with that address meanwhile',
    'If it is who you mean, make them one: postern admin bootstrap --email EMAIL',
  ],
  'no-admin-role': [
    exitCodes.usage,
    'No role of the config file may set roles',
    'Give one of its platformRoles user: set-role',
  ],
} as const

const commandOf = (email: string, ...flags: readonly string[]): string =>
  commandLine('postern', 'admin', 'bootstrap', '--email', email, ...flags)

async function bootstrap(context: Context, { email, force: isForced = false }: Options): Promise<void> {
  if (email === undefined) throw usageError('Whom? Give --email', commandOf('EMAIL'), ['--email'])
  const { bootstrapAdmin } = await import('../../local/local.ts')
  const asked = { email, isForced }
  let made = await bootstrapAdmin(context.host, context.flags.yes ? asked : { ...asked, only: 'existing' })
  if (made.outcome === 'no-such-user') {
    await askToMake(context, asked)
    made = await bootstrapAdmin(context.host, { ...asked, only: 'new' })
  }
  if (made.outcome !== 'done') throw refusal(made.outcome, asked)
  const user: ListedUser = listedUser(made.user)
  const isSame = made.change === 'unchanged'
  const sentence = `${user.email} is ${isSame ? 'an administrator already' : user.roles.join(', ')}`
  context.out.done(sentence, {
    status: made.change,
    resource: { ...user, link: made.link, lacksPassword: made.lacksPassword },
  })
  if (made.link !== null) context.out.note(`They have no password yet, and set one there: ${made.link}`)
  else if (made.lacksPassword)
    context.out.note(`They have no password yet. A link to set one: ${commandOf(email, '--force')}`)
}

/** What was typed wrong shall be nobody's way in. */
const askToMake = (context: Context, { email, isForced }: Bootstrap): Promise<void> =>
  context.confirm(`Nobody has ${email}. Make this account, and an administrator of it?`, {
    ready: commandOf(email, ...(isForced ? ['--force'] : []), '--yes'),
    expected: [email],
  })

function refusal(outcome: keyof typeof refusals, { email, isForced }: Bootstrap): CliError {
  const [exitCode, message, hint] = refusals[outcome]
  const code = outcome.replaceAll('-', '_').toUpperCase()
  const given = commandLine(email, ...(isForced ? ['--force'] : []))
  const about = ['banned', 'invalid-email', 'user-exists'].includes(outcome) ? `: ${email}` : ''
  return new CliError(exitCode, `${message}${about}`, { code, hint: hint?.replace('EMAIL', () => given) })
}
