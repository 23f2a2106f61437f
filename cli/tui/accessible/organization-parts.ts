import type { Invitation, MemberView, Team } from '../../../shared/organization.ts'
import { roleText } from '../../output/role-text.ts'
import { cancelInvitations, resendInvitations } from '../organizations/invitation-acts.ts'
import { nameOf, putIntoTeam, removeMembers, takeOutOfTeam } from '../organizations/member-acts.ts'
import { inviteValues, roleValues } from '../organizations/member-forms.ts'
import { deleteTeam } from '../organizations/team-acts.ts'
import { teamValues } from '../organizations/team-forms.ts'
import {
  lacks,
  membersOfTeam,
  type OrganizationView,
  refuseRoleChange,
  refuseTeams,
  statusOf,
} from '../organizations/view.ts'
import { type Front, formItem, itemOf } from './flows.ts'
import { choose, type Item } from './menu.ts'

/** A thing of a list, with a menu of its own. */
const thing = ({ talk }: Front, label: string, items: () => readonly Item[]): Item => ({
  label,
  run: async () => void (await choose(talk, items(), 'Back')),
})

const inviteItem = (front: Front, view: OrganizationView): Item =>
  formItem(front, 'invite', { values: inviteValues(view), refusal: lacks(view, 'invitation:create') })

/** The members, each with what can be done. */
export function memberItems(front: Front, view: OrganizationView): readonly Item[] {
  const items = view.organization.members.map((member) =>
    thing(front, `${nameOf(member)}, ${roleText(member.role)}`, () => ofMember(front, view, member)),
  )
  return [...items, inviteItem(front, view)]
}

function ofMember(front: Front, view: OrganizationView, member: MemberView): readonly Item[] {
  const teams = view.organization.teams ?? []
  const team = teams.find(({ id }) => id === member.teamId)
  return [
    formItem(front, 'member-roles', { values: roleValues(view, [member]), refusal: refuseRoleChange(view, [member]) }),
    ...teams
      .filter((one) => one !== team)
      .map((one) => itemOf(front, putIntoTeam(view), [{ member, team: one }], `Put into the team ${one.name}`)),
    ...(team ? [itemOf(front, takeOutOfTeam(view), [{ member, team }], `Take out of the team ${team.name}`)] : []),
    itemOf(front, removeMembers(view, [member]), [member]),
  ]
}

/** The invitations, whatever became of them. */
export function invitationItems(front: Front, view: OrganizationView): readonly Item[] {
  const items = view.organization.invitations.map((invitation) =>
    thing(front, `${invitation.email}, ${statusOf(invitation)}, as ${roleText(invitation.role)}`, () =>
      ofInvitation(front, view, invitation),
    ),
  )
  return [...items, inviteItem(front, view)]
}

const ofInvitation = (front: Front, view: OrganizationView, invitation: Invitation): readonly Item[] => [
  itemOf(front, resendInvitations(view, [invitation]), [invitation]),
  itemOf(front, cancelInvitations(view, [invitation]), [invitation]),
]

/** The teams, each with its members. */
export function teamItems(front: Front, view: OrganizationView): readonly Item[] {
  const items = (view.organization.teams ?? []).map((team) =>
    thing(front, `${team.name}, ${membersOfTeam(view, team.id).length} members`, () => ofTeam(front, view, team)),
  )
  const create = { values: teamValues(view), refusal: refuseTeams(view, 'team:create') }
  return [...items, formItem(front, 'create-team', create)]
}

const ofTeam = (front: Front, view: OrganizationView, team: Team): readonly Item[] => [
  formItem(front, 'rename-team', { values: teamValues(view, team), refusal: refuseTeams(view, 'team:update') }),
  itemOf(front, deleteTeam(view, team), [team]),
  ...view.organization.members.map((member) =>
    member.teamId === team.id
      ? itemOf(front, takeOutOfTeam(view), [{ member, team }], `Take ${nameOf(member)} out`)
      : itemOf(front, putIntoTeam(view), [{ member, team }], `Add ${nameOf(member)}`),
  ),
]
