import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import { type Act, connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { lacks, type OrganizationView } from './view.ts'

const countOf = ([first, ...rest]: readonly Invitation[]): string =>
  rest.length === 0 ? `the invitation of ${first?.email ?? 'nobody'}` : `${rest.length + 1} invitations`

/** Why there is nothing left to do with one of them. */
const refuseAnswered = (chosen: readonly Invitation[]): string | undefined => {
  const answered = chosen.find(({ status }) => status !== 'pending')
  return answered && `that of ${answered.email} is ${answered.status} already`
}

export const cancelInvitations = (view: OrganizationView, chosen: readonly Invitation[]): Act<Invitation> => ({
  label: 'Cancel',
  isWrite: true,
  refusal: () => lacks(view, 'invitation:cancel') ?? refuseAnswered(chosen),
  command: (invitations) =>
    commandLine('postern', 'invitation', 'cancel', ...invitations.map(({ id }) => id), '--org', view.organization.slug),
  question: (invitations) => `Take ${countOf(invitations)} back?`,
  run: async (desk, invitations) => {
    const { api } = connectionOf(desk)
    for (const { id } of invitations) await api.invitation.cancelInvitation({ invitationId: id })
  },
  done: (invitations) => `Took ${countOf(invitations)} back`,
})

/** The same invitation, good for as long as a new one, mailed again. */
export const resendInvitations = (view: OrganizationView, chosen: readonly Invitation[]): Act<Invitation> => ({
  label: 'Mail it again',
  isWrite: true,
  refusal: () => lacks(view, 'invitation:create') ?? refuseAnswered(chosen),
  command: (invitations) =>
    invitations
      .map(({ id }) => commandLine('postern', 'invitation', 'resend', id, '--org', view.organization.slug))
      .join('; '),
  run: async (desk, invitations) => {
    const { api } = connectionOf(desk)
    for (const { email, role, organizationId, teamId } of invitations) {
      const team = teamId ? { teamId } : {}
      await api.invitation.inviteMember({ email, role: textOfRoles(role), organizationId, ...team, resend: true })
    }
  },
  done: (invitations) => `Mailed ${countOf(invitations)} again`,
})

export const acceptInvitation: Act<InvitationView> = {
  label: 'Accept',
  isWrite: true,
  command: ([invitation]) => commandLine('postern', 'invitation', 'accept', invitation?.id ?? 'ID'),
  run: async (desk, invitations) => {
    const { api } = connectionOf(desk)
    for (const { id } of invitations) await api.invitation.acceptInvitation({ invitationId: id })
  },
  done: ([invitation]) => `You are a member of ${invitation?.organizationName ?? 'the organization'} now`,
}

export const rejectInvitation: Act<InvitationView> = {
  label: 'Reject',
  isWrite: true,
  command: ([invitation]) => commandLine('postern', 'invitation', 'reject', invitation?.id ?? 'ID'),
  question: ([invitation]) => `Reject the invitation to ${invitation?.organizationName ?? 'the organization'}?`,
  run: async (desk, invitations) => {
    const { api } = connectionOf(desk)
    for (const { id } of invitations) await api.invitation.rejectInvitation({ invitationId: id })
  },
  done: ([invitation]) => `Rejected the invitation to ${invitation?.organizationName ?? 'the organization'}`,
}
