import { Command } from 'commander'
import type { deleteUser } from '../../../shared/contract/account.ts'
import type { Output } from '../../../shared/contract/call.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal, usage } from '../../refusal.ts'
import { readSecret } from '../../secret.ts'
import { deletedSentence, soleNote, soleOf } from '../../sole-organizations.ts'
import { removeHere } from '../kept-session.ts'
import { passwordFrom, passwordOption } from '../password.ts'
import { fullUserFields, requireSession, type ShownUser } from '../people.ts'
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
      fields: { ...fullUserFields, organizations: 'any' },
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
  const typed = await typedAddress(context, connection)
  const { user } = await requireSession(context, connection)
  if (typed !== user.email) throw otherAddress(context, user.email)
  const { message, organizations = [] } = await openLink(() => ask(connection, proof), 'postern account delete')
  if (message !== 'User deleted') return tellMailed(context, connection, user)
  await removeHere(context)
  const resource = { ...user, organizations }
  context.out.done(deletedSentence(user.email, organizations), { status: 'deleted', resource })
}

async function tellMailed({ out }: Context, { api }: Connection, user: ShownUser): Promise<void> {
  const organizations = soleOf(await api.organization.list())
  const note = soleNote(organizations)
  const resource = { ...user, organizations }
  out.done(`Mailed ${user.email} for consent; nothing is deleted yet`, { status: 'planned', resource })
  if (note !== undefined) out.note(note)
  out.note(`Then: postern account delete --confirm ${user.email} --token-file - < link.txt`)
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

/** Typed, not shown: nobody deletes themselves by a key too many. What goes along is said before, in every form of output. */
async function typedAddress(context: Context, { api }: Connection): Promise<string> {
  const before = async () => {
    const note = soleNote(soleOf(await api.organization.list()))
    if (note !== undefined) context.out.warn(note)
  }
  const label = 'Type the e-mail address of your account to delete it for good:'
  const question = { flag: '--confirm', label, value: context.flags.confirm, before }
  return (await context.ask({ confirm: question }, ready)).confirm
}

function otherAddress({ flags }: Context, email: string): Refusal {
  if (flags.confirm !== undefined) return usage(`--confirm has to be exactly ${email}`, undefined, ['--confirm'])
  return new Refusal(exitCodes.cancelled, 'That is not the address: nothing was deleted', { code: 'CANCELLED' })
}

async function ask({ api }: Connection, proof: Proof): Promise<Output<typeof deleteUser>> {
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
