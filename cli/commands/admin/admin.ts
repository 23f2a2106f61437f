import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { editUser } from '../../flows/admin/edit.ts'
import { impersonateUser, stopImpersonating } from '../../flows/admin/impersonate.ts'
import { userList } from '../../flows/admin/list.ts'
import { rotateKeys } from '../../flows/admin/rotate-keys.ts'
import { revokeUserSession, revokeUserSessions, userSessionList } from '../../flows/admin/sessions.ts'
import { unlockUser, userView } from '../../flows/admin/supported-user.ts'
import {
  banUser,
  createUser,
  deleteUser,
  setUserPassword,
  setUserRoles,
  unbanUser,
} from '../../flows/admin/user-acts.ts'
import { type ListedUser, listedUserFields, toListedUser } from '../../flows/admin/users.ts'
import { auditList } from '../../flows/audit/list.ts'
import { commandWith } from '../../flows/command-line.ts'
import { mailList, releaseMails, resendMail } from '../../flows/mail/mails.ts'
import type { BootstrapOptions } from '../../local/local.ts'
import { CliError, usageError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { statusOf } from '../dry-run.ts'
import { userExportCommand } from '../export-person.ts'
import { aboutFlow, bareFlowCommand, flowCommand, runFlow, runFlowOnce } from '../flow-command.ts'
import { listCommand, viewCommand } from '../read-command.ts'
import { trailCommand } from '../trail-command.ts'

export const adminCommand = (context: Context): Command =>
  noun('admin', { summary: 'Users, mails, audit trail: admin user, admin audit' }, [
    userCommand(context),
    noun('impersonation', { summary: 'Impersonating another user' }, [flowCommand(context, stopImpersonating)]),
    noun('session', { summary: 'The sessions of users', plural: 'sessions' }, [
      listCommand(context, userSessionList),
      userSessionRevokeCommand(context),
    ]),
    noun('audit', { summary: 'The audit trail: who did what, to whom' }, [trailCommand(context, auditList)]),
    noun('mail', { summary: 'The outbox of the service', plural: 'mails' }, [
      listCommand(context, mailList),
      flowCommand(context, resendMail),
      flowCommand(context, releaseMails),
    ]),
    noun('keys', { summary: 'The keys that sign tokens for other services' }, [flowCommand(context, rotateKeys)]),
    adminBootstrapCommand(context),
  ])

const userCommand = (context: Context): Command =>
  noun('user', { summary: 'The users of the service', plural: 'users' }, [
    listCommand(context, userList),
    viewCommand(context, userView),
    flowCommand(context, createUser),
    flowCommand(context, editUser),
    userExportCommand(context),
    flowCommand(context, deleteUser),
    flowCommand(context, banUser),
    flowCommand(context, unbanUser),
    flowCommand(context, unlockUser),
    noun('role', { summary: 'The platform roles of a user', plural: 'roles' }, [flowCommand(context, setUserRoles)]),
    noun('password', { summary: 'The password of a user' }, [flowCommand(context, setUserPassword)]),
    flowCommand(context, impersonateUser),
  ])

interface Options {
  readonly email?: string
  readonly force?: boolean
}

const adminBootstrapCommand = (context: Context): Command =>
  describeCommand(
    new Command('bootstrap')
      .description('Make the first administrator of the service on this machine; uses the settings of that service')
      .option('--email <email>', 'their address; if no account has it, one is created after confirmation')
      .option(
        '--force',
        'even if an administrator exists or the user is banned; makes a new link for a user without a password',
      )
      .action((options: Options) => bootstrap(context, options)),
    {
      form: 'change',
      fields: { ...listedUserFields, link: 'text?', lacksPassword: 'flag' },
      examples: ['--email ann@example.com', '--email ann@example.com --yes', '--email ann@example.com --force'],
      writes: true,
      consent: '--yes',
      ends: ['failure', 'notFound', 'conflict', 'network'],
    },
  )

/**
 * Messages and hints for the refusals of the service's own code. EMAIL stands for the given address, followed by
 * --force if that was given.
 */
const refusals = {
  'admin-exists': [
    exitCodes.conflict,
    'There is already an administrator',
    'Ask that administrator, or add --force: postern admin bootstrap --email EMAIL --force',
  ],
  banned: [
    exitCodes.conflict,
    'That user is banned',
    'Lift the ban and go on: postern admin bootstrap --email EMAIL --force',
  ],
  'invalid-email': [exitCodes.usage, 'An e-mail address looks like ada@example.com', undefined],
  'no-such-user': [exitCodes.notFound, 'No account has that address', undefined],
  'user-exists': [
    exitCodes.conflict,
    'Somebody has just signed up with that address',
    'If it is the right person, make them an administrator: postern admin bootstrap --email EMAIL',
  ],
  'no-admin-role': [
    exitCodes.usage,
    'No platform role in the config file has the permission user:set-role',
    'Add user: set-role to one of its platformRoles',
  ],
} as const

const commandOf = (email: string, ...flags: readonly string[]): string =>
  commandLine('postern', 'admin', 'bootstrap', '--email', email, ...flags)

async function bootstrap(context: Context, { email, force: isForced = false }: Options): Promise<void> {
  if (email === undefined)
    throw usageError('Give the address of the new administrator: --email EMAIL', commandOf('EMAIL'), ['--email'])
  const { bootstrapAdmin } = await import('../../local/local.ts')
  const asked = { email, isForced }
  let made = await bootstrapAdmin(context.host, context.flags.yes ? asked : { ...asked, only: 'existing' })
  if (made.outcome === 'no-such-user') {
    await askToMake(context, asked)
    made = await bootstrapAdmin(context.host, { ...asked, only: 'new' })
  }
  if (made.outcome !== 'done') throw refusal(made.outcome, asked)
  const user: ListedUser = toListedUser(made.user)
  const isSame = made.change === 'unchanged'
  const sentence = `${user.email} is ${isSame ? 'already an administrator' : user.roles.join(', ')}`
  context.out.done(sentence, {
    status: made.change,
    resource: { ...user, link: made.link, lacksPassword: made.lacksPassword },
  })
  if (made.link !== null) context.out.note(`They have no password yet. Send them this link to set one: ${made.link}`)
  else if (made.lacksPassword)
    context.out.note(`They have no password yet. Make a link to set one: ${commandOf(email, '--force')}`)
}

/** A mistyped address must not make an administrator of somebody else. */
const askToMake = (context: Context, { email, isForced }: BootstrapOptions): Promise<void> =>
  context.confirm(`Nobody has ${email}. Create an account with that address and make it an administrator?`, {
    ready: commandOf(email, ...(isForced ? ['--force'] : []), '--yes'),
    expected: [email],
  })

function refusal(outcome: keyof typeof refusals, { email, isForced }: BootstrapOptions): CliError {
  const [exitCode, message, hint] = refusals[outcome]
  const code = outcome.replaceAll('-', '_').toUpperCase()
  const given = commandLine(email, ...(isForced ? ['--force'] : []))
  const about = ['banned', 'invalid-email', 'user-exists'].includes(outcome) ? `: ${email}` : ''
  return new CliError(exitCode, `${message}${about}`, { code, hint: hint?.replace('EMAIL', () => given) })
}

const which = ['ID…', '--csv', '--all']

const userSessionRevokeCommand = (context: Context): Command => {
  const command = bareFlowCommand(revokeUserSession)
    .option('--all', 'every session of that user, and their own keys')
    .action((word: string | undefined, ids: string[], options: { all?: boolean; csv?: string }) => {
      const chosen = [ids.length > 0, options.csv !== undefined, options.all].filter(Boolean).length
      if (chosen !== 1)
        throw usageError(
          `Choose the sessions with one of ${which.join(', ')}`,
          commandWith(userSessionList, [], { given: { user: word } }),
          which,
        )
      return options.all ? revokeEvery(context, command) : runFlow(context, revokeUserSession, command)
    })
  return describeCommand(command, { ...aboutFlow(revokeUserSession), ends: ['notFound', 'conflict', 'partial'] })
}

async function revokeEvery(context: Context, command: Command): Promise<void> {
  const done = await runFlowOnce(context, revokeUserSessions, command)
  context.out.bulk([{ input: 'all', ...statusOf(done), error: null }], { sentence: done.sentence })
}
