import type { Invitation } from '../../../shared/organization.ts'
import { flag } from '../command-line.ts'
import type { WordAndFlags } from '../flow.ts'
import { organizationIdOf } from '../org/organizations.ts'
import type { Ports } from '../ports.ts'

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

export const wordsForInvitation = ({ invitation, org }: SentInvitation): WordAndFlags => ({
  word: invitation.id,
  flags: flag('org', org),
})

/** Why there is nothing left to do with one of them. */
export function whyNotPending(several: readonly SentInvitation[]): string | undefined {
  const answered = several.find(({ invitation: { status = 'pending' } }) => status !== 'pending')?.invitation
  return answered && `that of ${answered.email} is ${answered.status} already`
}

export const invitationCount = ([first, ...rest]: readonly SentInvitation[]): string =>
  rest.length === 0
    ? `the invitation of ${first?.invitation.email ?? first?.invitation.id ?? 'nobody'}`
    : `${rest.length + 1} invitations`
