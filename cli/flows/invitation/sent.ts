import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { commandWith } from '../command-line.ts'
import type { Flow, WordAndFlags } from '../flow.ts'
import { flag } from '../flow.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import type { Ports } from '../ports.ts'
import { invite } from './create.ts'
import { invitationFields, type ListedInvitation, listedInvitation, orById, pickSent } from './invitations.ts'

/** An invitation of the organization, and how `--org` names that in a command. Of one that was named by its id no more may be known. */
export interface SentInvitation<I = Pick<Invitation, 'id'> & Partial<Invitation>> {
  readonly invitation: I
  readonly org?: string | undefined
}

/** All of the organization, whatever became of them. */
export async function sentInvitations(ports: Ports): Promise<readonly Invitation[]> {
  const { api } = await ports.signedIn()
  const organizationId = await organizationIdOf({ api }, ports.organization)
  return api.invitation.listInvitations({ organizationId, status: 'all' })
}

/** Of those that are still pending: where each was sent to. */
export const pendingAddresses = async (ports: Ports): Promise<readonly string[]> =>
  (await sentInvitations(ports)).filter(({ status }) => status === 'pending').map(({ email }) => email)

const wordsForInvitation = ({ invitation, org }: SentInvitation): WordAndFlags => ({
  word: invitation.id,
  flags: flag('org', org),
})

/** Why there is nothing left to do with one of them. */
function whyNotPending(several: readonly SentInvitation[]): string | undefined {
  const answered = several.find(({ invitation: { status = 'pending' } }) => status !== 'pending')?.invitation
  return answered && `that of ${answered.email} is ${answered.status} already`
}

const invitationCount = ([first, ...rest]: readonly SentInvitation[]): string =>
  rest.length === 0
    ? `the invitation of ${first?.invitation.email ?? first?.invitation.id ?? 'nobody'}`
    : `${rest.length + 1} invitations`

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
