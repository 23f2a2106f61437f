import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { toCliError } from '../../output/error-report.ts'
import type { Sheet } from '../listing.ts'
import type { Ports } from '../ports.ts'
import {
  invitationFields,
  invitationId,
  invitationSheet,
  invitingSlugs,
  type ListedInvitation,
  listedInvitation,
  orById,
  pickReceived,
  pickSent,
} from './invitations.ts'
import { pendingAddresses, sentInvitations } from './sent.ts'

/** What either list has, though the other may not be shown. */
async function eitherWords(ports: Ports): Promise<readonly string[]> {
  const lists = [pendingAddresses(ports), invitingSlugs(ports)].map((list) => list.catch(() => []))
  return (await Promise.all(lists)).flat()
}

const fields = {
  invitation: {
    kind: 'text',
    label: 'Invitation',
    argument: '<invitation>',
    summary: 'its id, the address it was sent to, or slug or name of the organization that invites',
    key: 'id',
    complete: eitherWords,
  },
} as const

export const invitationView: Sheet<ListedInvitation, typeof fields> = {
  command: 'invitation view',
  summary: 'One invitation: to the signed-in user, or of the organization',
  fields,
  call: '/organization/get-invitation',
  answer: invitationFields,
  columns: invitationSheet,
  examples: ['ben@example.com', 'acme'],
  view: async (ports, values) => listedInvitation(await findEither(ports, values.invitation), ports.now()),
}

/** The service shows one to its recipient; a member finds it in the organization's list. The recipient's answer goes first. */
async function findEither(ports: Ports, word: string): Promise<Invitation | InvitationView> {
  const { api } = await ports.signedIn()
  if (word.includes('@')) return pickSent(await sentInvitations(ports), word)
  try {
    if (invitationId.test(word)) return await api.invitation.getInvitation({ id: word })
    return pickReceived(await api.invitation.listUserInvitations(), word)
  } catch (error) {
    if (toCliError(error).code === 'AMBIGUOUS') throw error
    const sent = await sentInvitations(ports).catch(() => [])
    const found = orById(() => pickSent(sent, word), word)
    if (!('email' in found)) throw error
    return found
  }
}
