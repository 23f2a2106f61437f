import type { MemberView } from '../../../shared/organization.ts'
import { isOwner, type OrganizationView } from '../../flows/org/view.ts'
import { permittedTo } from '../../flows/role/view.ts'
import { roleText } from '../../output/role-text.ts'
import { fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

/** A member of an organization: who it is, with which roles, in which team, and what that lets them do. */
export function memberDetail(view: OrganizationView, { id, user, role, teamId, createdAt }: MemberView): Detail {
  const { teams } = view.organization
  const isSelf = id === view.self?.id
  return {
    title: isSelf ? `${user.name} (you)` : user.name,
    facts: [
      { label: 'E-mail', value: user.email },
      ...(user.isMachine ? [{ label: 'Machine', value: 'yes: a key or a CI job acts as it' }] : []),
      {
        label: 'Roles',
        value: `${roleText(role)}${isOwner(view, role) && !role.includes('owner') ? ', an owner' : ''}`,
      },
      { label: 'May', value: permittedTo(view.roles, role).join(', ') || 'look at it' },
      ...(teams ? [{ label: 'Team', value: teams.find((team) => team.id === teamId)?.name ?? 'none' }] : []),
      { label: 'Since', value: fullTime(createdAt) },
      { label: 'User id', value: user.id },
      { label: 'ID', value: id },
    ],
  }
}
