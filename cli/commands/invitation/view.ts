import { Command } from 'commander'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import type { Connection } from '../../client/connect.ts'
import type { Context } from '../../context.ts'
import { invitationFields, invitationSheet, listedInvitation, pickSent } from '../../flows/invitation/invitations.ts'
import { organizationIdOf } from '../../flows/org/organizations.ts'

export const invitationViewCommand = (context: Context): Command =>
  about(
    new Command('view')
      .description('One invitation: to the signed-in user, or of the organization')
      .argument('<invitation>', 'its id, or the address it was sent to')
      .action(async (word: string) => {
        const invitation = await findEither(context, await context.connectSignedIn(), word)
        await context.out.one(listedInvitation(invitation, context.out.style.page.now), invitationSheet)
      }),
    { form: 'one', fields: invitationFields, examples: ['postern invitation view ben@example.com'] },
  )

/** The service shows one to its recipient; a member finds it in the organization's list. The recipient's answer goes first. */
async function findEither(
  context: Context,
  connection: Connection,
  word: string,
): Promise<Invitation | InvitationView> {
  const { api } = connection
  if (word.includes('@')) return pickSent(await listSent(context, connection), word)
  try {
    return await api.invitation.getInvitation({ id: word })
  } catch (error) {
    const sent = await listSent(context, connection).catch(() => [])
    const found = sent.find(({ id }) => id === word)
    if (!found) throw error
    return found
  }
}

async function listSent(context: Context, connection: Connection): Promise<readonly Invitation[]> {
  const organizationId = await organizationIdOf(connection, context.settings.organization.value)
  return connection.api.invitation.listInvitations({ organizationId, status: 'all' })
}
