import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { commandWith } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { invite } from './create.ts'
import { invitationFields, type ListedInvitation, listedInvitation, pickSent } from './invitations.ts'
import {
  invitationCount,
  pendingAddresses,
  type SentInvitation,
  sentInvitations,
  whyNotPending,
  wordsForInvitation,
} from './sent.ts'

/** The same invitation, good for as long as a new one, mailed again. */
export const resendInvitation: Flow<
  SentInvitation<Invitation>,
  Readonly<Record<never, never>>,
  OrganizationView,
  ListedInvitation
> = {
  command: 'invitation resend',
  summary: 'Mail a pending invitation once more, with a new expiry',
  title: 'Mail it again',
  writes: true,
  needsSession: true,
  subject: {
    argument: '<invitation>',
    summary: 'its id, or the address it was sent to',
    key: 'email',
    finder: async (ports) => {
      const sent = await sentInvitations(ports)
      return (word = '') => ({ invitation: pickSent(sent, word), org: ports.organization })
    },
    words: wordsForInvitation,
    complete: pendingAddresses,
  },
  fields: {},
  call: '/organization/invite-member',
  isFor: ({ resend }) => resend === true,
  answer: invitationFields,
  examples: ['ben@example.com'],
  disabledReason: (several, view) => whyNotPermitted(view, 'invitation:create') ?? whyNotPending(several),
  run: async (ports, { invitation: { email, role, status, organizationId, teamId } }) => {
    if (status !== 'pending') throw answered(email, status)
    const { api } = await ports.signedIn()
    const again = { email, role: [...role], organizationId, resend: true, teamId: teamId ?? undefined }
    const resource = listedInvitation(await api.invitation.inviteMember(again), ports.now())
    return { sentence: `Mailed ${email} again`, status: 'updated', resource }
  },
  doneWith: (several) => `Mailed ${invitationCount(several)} again`,
}

const answered = (email: string, status: Invitation['status']) =>
  new CliError(exitCodes.conflict, `The invitation to ${email} is ${status}: there is nothing to send again`, {
    code: 'INVITATION_NOT_PENDING',
    hint: commandWith(invite, [], { given: { email } }),
  })
