import type { Invitation, MemberView, Team } from '../../../shared/organization.ts'
import { formOf } from '../../flows/form.ts'
import { cancelInvitation } from '../../flows/invitation/cancel.ts'
import { invite } from '../../flows/invitation/create.ts'
import { resendInvitation } from '../../flows/invitation/resend.ts'
import { nameOf } from '../../flows/member/members.ts'
import { removeMember } from '../../flows/member/remove.ts'
import { setRoles } from '../../flows/member/set-roles.ts'
import { isOwner, membersOfTeam, type OrganizationView, statusOf } from '../../flows/org/view.ts'
import { addTeamMember } from '../../flows/team/add-member.ts'
import { createTeam } from '../../flows/team/create.ts'
import { deleteTeam } from '../../flows/team/delete.ts'
import { renameTeam } from '../../flows/team/edit.ts'
import { removeTeamMember } from '../../flows/team/remove-member.ts'
import { roleText } from '../../output/role-text.ts'
import { type Front, formItem, itemOf } from './flows.ts'
import { choose, type Item } from './menu.ts'

/** A thing of a list, with a menu of its own. */
const thing = ({ talk }: Front, label: string, items: () => readonly Item[]): Item => ({
  label,
  run: async () => void (await choose(talk, items(), 'Back')),
})

const scopeOf = ({ organization: { id, slug } }: OrganizationView) => ({ organizationId: id, org: slug })

const inviteItem = (front: Front, view: OrganizationView): Item =>
  formItem(front, () => formOf(invite, { subjects: [scopeOf(view)], view }))

/** The members, each with what can be done. */
export function memberItems(front: Front, view: OrganizationView): readonly Item[] {
  const items = view.organization.members.map((member) =>
    thing(front, `${nameOf(member)}, ${roleText(member.role)}`, () => ofMember(front, view, member)),
  )
  return [...items, inviteItem(front, view)]
}

function ofMember(front: Front, view: OrganizationView, member: MemberView): readonly Item[] {
  const { teams: all, slug: org } = view.organization
  const teams = all ?? []
  const team = teams.find(({ id }) => id === member.teamId)
  const one = [{ member, isOwner: isOwner(view, member.role), org }]
  return [
    formItem(front, () => formOf(setRoles, { subjects: one, view })),
    ...teams
      .filter((other) => other !== team)
      .map((other) =>
        itemOf(front, addTeamMember, {
          subjects: [{ member, team: other, org }],
          view,
          label: `Put into the team ${other.name}`,
        }),
      ),
    ...(team
      ? [
          itemOf(front, removeTeamMember, {
            subjects: [{ member, team, org }],
            view,
            label: `Take out of the team ${team.name}`,
          }),
        ]
      : []),
    itemOf(front, removeMember, { subjects: one, view }),
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

function ofInvitation(front: Front, view: OrganizationView, invitation: Invitation): readonly Item[] {
  const subjects = [{ invitation, org: view.organization.slug }]
  return [itemOf(front, resendInvitation, { subjects, view }), itemOf(front, cancelInvitation, { subjects, view })]
}

/** The teams, each with its members. */
export function teamItems(front: Front, view: OrganizationView): readonly Item[] {
  const items = (view.organization.teams ?? []).map((team) =>
    thing(front, `${team.name}, ${membersOfTeam(view, team.id).length} members`, () => ofTeam(front, view, team)),
  )
  return [...items, formItem(front, () => formOf(createTeam, { subjects: [scopeOf(view)], view }))]
}

function ofTeam(front: Front, view: OrganizationView, team: Team): readonly Item[] {
  const { members, slug: org } = view.organization
  const subjects = [{ team, org }]
  return [
    formItem(front, () => formOf(renameTeam, { subjects, view })),
    itemOf(front, deleteTeam, { subjects, view }),
    ...members.map((member) =>
      member.teamId === team.id
        ? itemOf(front, removeTeamMember, {
            subjects: [{ member, team, org }],
            view,
            label: `Take ${nameOf(member)} out`,
          })
        : itemOf(front, addTeamMember, { subjects: [{ member, team, org }], view, label: `Add ${nameOf(member)}` }),
    ),
  ]
}
