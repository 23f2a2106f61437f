import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import type { Sheet } from '../listing.ts'
import type { Ports } from '../ports.ts'
import {
  invitationFields,
  invitationId,
  invitationSheet,
  type ListedInvitation,
  listedInvitation,
  pickReceived,
  pickSent,
} from './invitations.ts'
import { sentInvitations } from './sent.ts'

const fields = {
  invitation: {
    kind: 'text',
    label: 'Invitation',
    argument: '<invitation>',
    summary: 'its id, the address it was sent to, or slug or name of the organization that invites',
    key: 'id',
  },
} as const

export const invitationView: Sheet<ListedInvitation, typeof fields> = {
  command: 'invitation view',
  summary: 'One invitation: to the signed-in user, or of the organization',
  fields,
  call: '/organization/get-invitation',
  answer: invitationFields,
  columns: invitationSheet,
  examples: ['postern invitation view ben@example.com', 'postern invitation view acme'],
  view: async (ports, values) => listedInvitation(await findEither(ports, values.invitation), ports.now()),
}

/** The service shows one to its recipient; a member finds it in the organization's list. The recipient's answer goes first. */
async function findEither(ports: Ports, word: string): Promise<Invitation | InvitationView> {
  const { api } = await ports.signedIn()
  if (word.includes('@')) return pickSent(await sentInvitations(ports), word)
  if (!invitationId.test(word)) return pickReceived(await api.invitation.listUserInvitations(), word)
  try {
    return await api.invitation.getInvitation({ id: word })
  } catch (error) {
    const sent = await sentInvitations(ports).catch(() => [])
    const found = sent.find(({ id }) => id === word)
    if (!found) throw error
    return found
  }
}
