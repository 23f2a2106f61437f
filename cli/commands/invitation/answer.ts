import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { refusalFrom } from '../../output/failure.ts'
import { roleText } from '../../output/role-text.ts'
import { Refusal } from '../../refusal.ts'
import { invitationFields, listedInvitation, pickReceived } from './invitations.ts'

const argument = ['<invitation>', 'its id, or slug or name of the organization'] as const

export const invitationAcceptCommand = (context: Context): Command =>
  about(
    new Command('accept')
      .description('Accept an invitation to the signed-in user; its organization becomes the active one')
      .argument(...argument)
      .action((word: string) => accept(context, word)),
    {
      form: 'change',
      writes: true,
      fields: invitationFields,
      examples: ['postern invitation accept acme', 'postern invitation accept vF3xJ9qWm2LkR7tYp0Zs8CdB5nHg1aEu'],
    },
  )

export const invitationRejectCommand = (context: Context): Command =>
  about(
    new Command('reject')
      .description('Reject an invitation to the signed-in user')
      .argument(...argument)
      .action((word: string) => reject(context, word)),
    { form: 'change', writes: true, fields: invitationFields, examples: ['postern invitation reject acme'] },
  )

async function accept(context: Context, word: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const { id, title, view } = await find(connection, word)
  const { invitation } = await connection.api.invitation.acceptInvitation({ invitationId: id })
  report(context, `Joined ${title} as ${roleText(invitation.role)}, the active organization now`, {
    ...view,
    ...invitation,
  })
}

async function reject(context: Context, word: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const { id, title, view } = await find(connection, word)
  const { invitation } = await connection.api.invitation.rejectInvitation({ invitationId: id })
  report(context, `Rejected the invitation to ${title}`, { ...view, ...invitation })
}

function report({ out }: Context, sentence: string, invitation: Invitation): void {
  out.done(sentence, { status: 'updated', resource: listedInvitation(invitation, out.style.page.now) })
}

/** Who is shown no list, the address being unproven, may still have an id: it stands in the mail alone. */
function withoutList(error: unknown, word: string): readonly InvitationView[] {
  const { exitCode, message, code, status } = refusalFrom(error)
  if (exitCode !== exitCodes.forbidden) throw error
  if (/^[A-Za-z0-9]{32}$/.test(word)) return []
  const hint =
    'Prove that the address is yours: postern account email verify --send, or give the id that stands in the mail'
  throw new Refusal(exitCode, message, { code, status, hint, cause: error })
}

interface Found {
  readonly id: string
  /** Of the organization. */
  readonly title: string
  readonly view: Partial<InvitationView>
}

/** What is not in the list of the signed-in user goes to the service as it is, whose refusal says why. */
async function find({ api }: Connection, word: string): Promise<Found> {
  const received = await api.invitation.listUserInvitations().catch((error: unknown) => withoutList(error, word))
  try {
    const view = pickReceived(received, word)
    return { id: view.id, title: view.organizationName, view }
  } catch (error) {
    if (refusalFrom(error).exitCode !== exitCodes.notFound) throw error
    return { id: word, title: 'the organization', view: {} }
  }
}
