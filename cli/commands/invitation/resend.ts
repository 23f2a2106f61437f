import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { invitationFields, listedInvitation, pickSent } from './invitations.ts'

export const invitationResendCommand = (context: Context): Command =>
  about(
    new Command('resend')
      .description('Mail a pending invitation once more, with a new expiry')
      .argument('<invitation>', 'its id, or the address it was sent to')
      .action((word: string) => resend(context, word)),
    {
      form: 'change',
      writes: true,
      fields: invitationFields,
      examples: ['postern invitation resend ben@example.com'],
    },
  )

async function resend(context: Context, word: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const { invitation: calls } = connection.api
  const organizationId = await organizationIdOf(context, connection)
  const { email, role, status, teamId } = pickSent(await calls.listInvitations({ organizationId, status: 'all' }), word)
  if (status !== 'pending') throw answered(email, status)
  const again = { email, role: [...role], organizationId, resend: true, teamId: teamId ?? undefined }
  const invitation = await calls.inviteMember(again)
  const resource = listedInvitation(invitation, context.out.style.page.now)
  context.out.done(`Mailed ${email} again`, { status: 'updated', resource })
}

const answered = (email: string, status: Invitation['status']) =>
  new Refusal(exitCodes.conflict, `The invitation to ${email} is ${status}: there is nothing to send again`, {
    code: 'INVITATION_NOT_PENDING',
    hint: `postern invitation create ${email} --role ROLE`,
  })
