import type { Invitation, MemberView, Team } from '../../../shared/organization.ts'
import { formOf } from '../../flows/form.ts'
import { cancelInvitation } from '../../flows/invitation/cancel.ts'
import { invite } from '../../flows/invitation/create.ts'
import { resendInvitation } from '../../flows/invitation/resend.ts'
import { memberLabel } from '../../flows/member/members.ts'
import { removeMember, removeMemberWith } from '../../flows/member/remove.ts'
import { setRoles } from '../../flows/member/set-roles.ts'
import { isOwner, membersOfTeam, type OrganizationView, scopeOf, statusOf } from '../../flows/org/view.ts'
import { addTeamMember } from '../../flows/team/add-member.ts'
import { createTeam } from '../../flows/team/create.ts'
import { deleteTeam } from '../../flows/team/delete.ts'
import { renameTeam } from '../../flows/team/edit.ts'
import { removeTeamMember } from '../../flows/team/remove-member.ts'
import { roleText } from '../../output/role-text.ts'
import { actionItem, type Conversation, formItem } from './conversation.ts'
import { choose, type MenuItem } from './menu.ts'

/** A thing of a list, with a menu of its own. */
const thing = ({ terminal }: Conversation, label: string, items: () => readonly MenuItem[]): MenuItem => ({
  label,
  run: async () => void (await choose(terminal, items(), 'Back')),
})

const inviteItem = (conversation: Conversation, view: OrganizationView): MenuItem =>
  formItem(conversation, () => formOf(invite, { subjects: [scopeOf(view)], view }))

/** The members, each with what can be done. */
export function memberItems(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const items = view.organization.members.map((member) =>
    thing(conversation, `${memberLabel(member)}, ${roleText(member.role)}`, () => ofMember(conversation, view, member)),
  )
  return [...items, inviteItem(conversation, view)]
}

function ofMember(conversation: Conversation, view: OrganizationView, member: MemberView): readonly MenuItem[] {
  const { teams: all, slug: org } = view.organization
  const teams = all ?? []
  const team = teams.find(({ id }) => id === member.teamId)
  const one = [{ member, isOwner: isOwner(view, member.role), org }]
  return [
    formItem(conversation, () => formOf(setRoles, { subjects: one, view })),
    ...teams
      .filter((other) => other !== team)
      .map((other) =>
        actionItem(conversation, addTeamMember, {
          subjects: [{ member, team: other, org }],
          view,
          label: `Put into the team ${other.name}`,
        }),
      ),
    ...(team
      ? [
          actionItem(conversation, removeTeamMember, {
            subjects: [{ member, team, org }],
            view,
            label: `Take out of the team ${team.name}`,
          }),
        ]
      : []),
    actionItem(conversation, removeMember, { subjects: one, view }),
    ...(['revoke', 'adopt'] as const).map((fate) =>
      actionItem(conversation, removeMemberWith(fate), { subjects: one.map((named) => ({ ...named, fate })), view }),
    ),
  ]
}

/** The invitations, whatever became of them. */
export function invitationItems(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const items = view.organization.invitations.map((invitation) =>
    thing(conversation, `${invitation.email}, ${statusOf(invitation)}, as ${roleText(invitation.role)}`, () =>
      ofInvitation(conversation, view, invitation),
    ),
  )
  return [...items, inviteItem(conversation, view)]
}

function ofInvitation(conversation: Conversation, view: OrganizationView, invitation: Invitation): readonly MenuItem[] {
  const subjects = [{ invitation, org: view.organization.slug }]
  return [
    actionItem(conversation, resendInvitation, { subjects, view }),
    actionItem(conversation, cancelInvitation, { subjects, view }),
  ]
}

/** The teams, each with its members. */
export function teamItems(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const items = (view.organization.teams ?? []).map((team) =>
    thing(conversation, `${team.name}, ${membersOfTeam(view, team.id).length} members`, () =>
      ofTeam(conversation, view, team),
    ),
  )
  return [...items, formItem(conversation, () => formOf(createTeam, { subjects: [scopeOf(view)], view }))]
}

function ofTeam(conversation: Conversation, view: OrganizationView, team: Team): readonly MenuItem[] {
  const { members, slug: org } = view.organization
  const subjects = [{ team, org }]
  return [
    formItem(conversation, () => formOf(renameTeam, { subjects, view })),
    actionItem(conversation, deleteTeam, { subjects, view }),
    ...members.map((member) =>
      member.teamId === team.id
        ? actionItem(conversation, removeTeamMember, {
            subjects: [{ member, team, org }],
            view,
            label: `Take ${memberLabel(member)} out`,
          })
        : actionItem(conversation, addTeamMember, {
            subjects: [{ member, team, org }],
            view,
            label: `Add ${memberLabel(member)}`,
          }),
    ),
  ]
}
