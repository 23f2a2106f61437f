import { Command } from 'commander'
import { about } from '../../../about.ts'
import type { Context } from '../../../context.ts'
import { usage } from '../../../refusal.ts'
import { readSecret } from '../../../secret.ts'
import { passwordFrom } from '../../password.ts'
import { userFields } from '../../people.ts'

interface Options {
  readonly currentPasswordFile?: string
  readonly passwordFile?: string
  readonly revokeOthers?: boolean
}

const files = ['--current-password-file', '--password-file'] as const
const ready = 'postern account password set --current-password-file old.txt --password-file - < new.txt'

export const passwordSetCommand = (context: Context): Command =>
  about(
    new Command('set')
      .description('Change the password of the signed-in user')
      .option('--current-password-file <file>', 'file that holds the password as it is, - for stdin')
      .option('--password-file <file>', 'file that holds the new password, - for stdin')
      .option('--revoke-others', 'end every other session')
      .action((options: Options) => set(context, options)),
    { form: 'change', writes: true, fields: userFields, examples: ['postern account password set', ready] },
  )

async function set(context: Context, options: Options): Promise<void> {
  const { api } = await context.connectSignedIn()
  const { currentPassword, newPassword } = await passwordsOf(context, options)
  if (currentPassword === newPassword) throw usage('The new password is the current one', 'Choose another', [files[1]])
  const { revokeOthers = false } = options
  // The service ends this session too and answers with a new one, as a cookie: of no use to who speaks by a token.
  const isAtOnce = revokeOthers && !(await speaksByToken(context))
  const passwords = { currentPassword, newPassword }
  const { user } = await api.password.changePassword({ ...passwords, ...(isAtOnce && { revokeOtherSessions: true }) })
  if (revokeOthers && !isAtOnce) await api.session.revokeOtherSessions({})
  const sentence = `Changed the password of ${user.email}${revokeOthers ? ' and ended every other session' : ''}`
  context.out.done(sentence, { status: 'updated', resource: user })
  if (!revokeOthers) context.out.note('Other sessions go on: postern session revoke --others')
}

async function passwordsOf(context: Context, { currentPasswordFile, passwordFile }: Options) {
  if (currentPasswordFile === '-' && passwordFile === '-')
    throw usage('stdin (-) can hold one of the two passwords only', 'Put the other one into a file', files)
  const current =
    currentPasswordFile === undefined ? undefined : await readSecret(currentPasswordFile, files[0], context.host.stdin)
  const next = await passwordFrom(context, passwordFile)
  return context.ask(
    {
      currentPassword: { flag: files[0], label: 'Current password', secret: true, value: current },
      newPassword: { flag: files[1], label: 'New password', secret: true, repeat: true, value: next },
    },
    ready,
  )
}

async function speaksByToken(context: Context): Promise<boolean> {
  const { token, account } = await context.identity()
  return token !== undefined || (account !== undefined && (await context.accounts.open(account)).token() !== undefined)
}
