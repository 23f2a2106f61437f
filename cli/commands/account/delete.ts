import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal, usage } from '../../refusal.ts'
import { readSecret } from '../../secret.ts'
import { removeHere } from '../kept-session.ts'
import { passwordFrom, passwordOption } from '../password.ts'
import { fullUserFields, requireSession } from '../people.ts'
import { openLink, tokenIn } from './mailed.ts'

interface Options {
  readonly passwordFile?: string
  readonly tokenFile?: string
}

const ready = 'postern account delete --confirm alice@example.com --password-file -'

export const accountDeleteCommand = (context: Context): Command =>
  about(
    new Command('delete')
      .description('Delete the signed-in user for good; --confirm repeats the address, --yes is not enough')
      .option(...passwordOption)
      .option('--token-file <file>', 'file that holds the link of the mail, or its token alone, - for stdin')
      .action((options: Options) => remove(context, options)),
    {
      form: 'change',
      writes: true,
      fields: fullUserFields,
      examples: [
        'postern account delete',
        `${ready} < password.txt`,
        'postern account delete --confirm alice@example.com --token-file - < link.txt',
      ],
    },
  )

async function remove(context: Context, options: Options): Promise<void> {
  const proof = await proofOf(context, options)
  const connection = await context.connectSignedIn()
  const typed = await typedAddress(context)
  const { user } = await requireSession(context, connection)
  if (typed !== user.email) throw otherAddress(context, user.email)
  const { message } = await openLink(() => ask(connection, proof), 'postern account delete')
  if (message !== 'User deleted') {
    context.out.done(`Mailed ${user.email} for consent; nothing is deleted yet`, { status: 'planned', resource: user })
    return context.out.note(`Then: postern account delete --confirm ${user.email} --token-file - < link.txt`)
  }
  await removeHere(context)
  context.out.done(`Deleted ${user.email}`, { status: 'deleted', resource: user })
}

interface Proof {
  readonly password?: string
  readonly token?: string
}

async function proofOf(context: Context, { passwordFile, tokenFile }: Options): Promise<Proof> {
  if (tokenFile === undefined) {
    const password = await passwordFrom(context, passwordFile)
    return password === undefined ? {} : { password }
  }
  const flags = ['--token-file', '--password-file']
  if (passwordFile !== undefined) throw usage('The link needs no password with it', 'Leave one of them out', flags)
  return { token: await tokenIn(context, await readSecret(tokenFile, '--token-file', context.host.stdin), 'delete') }
}

/** Typed, not shown: nobody deletes themselves by a key too many. */
async function typedAddress(context: Context): Promise<string> {
  const label = 'Type the e-mail address of your account to delete it for good:'
  const { confirm } = await context.ask({ confirm: { flag: '--confirm', label, value: context.flags.confirm } }, ready)
  return confirm
}

function otherAddress({ flags }: Context, email: string): Refusal {
  if (flags.confirm !== undefined) return usage(`--confirm has to be exactly ${email}`, undefined, ['--confirm'])
  return new Refusal(exitCodes.cancelled, 'That is not the address: nothing was deleted', { code: 'CANCELLED' })
}

async function ask({ api }: Connection, proof: Proof): Promise<{ readonly message: string }> {
  try {
    return await api.account.deleteUser(proof)
  } catch (error) {
    const { code, status } = refusalFrom(error)
    if (code !== 'NOT_FOUND') throw error
    throw new Refusal(exitCodes.forbidden, 'This service lets nobody delete their own account', {
      code,
      status,
      hint: 'Ask its owner',
      cause: error,
    })
  }
}
