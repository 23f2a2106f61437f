import type { Invitation } from '../../../shared/organization.ts'
import { memberLabel } from '../../flows/member/members.ts'
import { type OrganizationView, statusOf } from '../../flows/org/view.ts'
import { roleText } from '../../output/role-text.ts'
import { fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

/** An invitation, and what became of it. */
export function invitationDetail({ organization }: OrganizationView, invitation: Invitation): Detail {
  const { id, email, role, teamId, inviterId, expiresAt } = invitation
  const inviter = organization.members.find(({ userId }) => userId === inviterId)
  const team = organization.teams?.find((one) => one.id === teamId)
  return {
    title: email,
    facts: [
      { label: 'E-mail', value: email },
      { label: 'Status', value: statusOf(invitation) },
      { label: 'Roles', value: roleText(role) },
      ...(organization.teams ? [{ label: 'Team', value: team?.name ?? 'none' }] : []),
      { label: 'Invited by', value: inviter ? memberLabel(inviter) : 'somebody who has left' },
      // What was answered expires no more.
      ...(invitation.status === 'pending' ? [{ label: 'Expires', value: fullTime(expiresAt) }] : []),
      { label: 'ID', value: id },
    ],
  }
}
