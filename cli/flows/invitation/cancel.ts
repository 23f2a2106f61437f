import type { Invitation } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { invitationFields, orById, pickSent } from './invitations.ts'
import {
  invitationCount,
  pendingAddresses,
  type SentInvitation,
  sentInvitations,
  whyNotPending,
  wordsForInvitation,
} from './sent.ts'

type Canceled = Pick<Invitation, 'id'> & Partial<Invitation>

export const cancelInvitation: Flow<SentInvitation, Readonly<Record<never, never>>, OrganizationView, Canceled> = {
  command: 'invitation cancel',
  summary: 'Take invitations back',
  title: 'Cancel',
  writes: true,
  needsSession: true,
  subject: {
    argument: '<invitation...>',
    summary: 'their ids, or the addresses they were sent to; - reads them from stdin, one a line',
    key: 'invitationId',
    finder: async (ports, _, words) => {
      const isAddress = (word: string) => word.includes('@')
      const listed = sentInvitations(ports)
      // An id names one of any organization: of another one no more is known.
      const sent = await (words.some(isAddress) ? listed : listed.catch(() => []))
      return (word = '') => ({
        invitation: isAddress(word) ? pickSent(sent, word) : orById(() => pickSent(sent, word), word),
        org: ports.organization,
      })
    },
    words: wordsForInvitation,
    complete: pendingAddresses,
  },
  fields: {},
  call: '/organization/cancel-invitation',
  answer: invitationFields,
  examples: [
    'ben@example.com',
    'postern invitation list --status pending --quiet | postern invitation cancel - --json',
  ],
  consent: { question: (several) => `Take ${invitationCount(several)} back?`, forKeysOnly: true },
  disabledReason: (several, view) => whyNotPermitted(view, 'invitation:cancel') ?? whyNotPending(several),
  run: async (ports, { invitation }) => {
    if (invitation.status === 'canceled')
      return {
        sentence: `Took ${invitationCount([{ invitation }])} back before`,
        status: 'unchanged',
        resource: invitation,
      }
    const { api } = await ports.signedIn()
    const { id: invitationId } = invitation
    await api.invitation.cancelInvitation({ invitationId })
    const resource = { ...invitation, status: 'canceled' } as const
    return { sentence: `Took ${invitationCount([{ invitation }])} back`, status: 'updated', resource }
  },
  doneWith: (several) => `Took ${invitationCount(several)} back`,
}
