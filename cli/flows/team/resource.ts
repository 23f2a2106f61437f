import type { Team } from '../../../shared/organization.ts'
import { memberLine } from '../account/users.ts'
import { actionOf } from '../action.ts'
import { commandWith } from '../command-line.ts'
import { isBlockedWhileImpersonating } from '../flow.ts'
import { type ListedMember, memberFields, toListedMember } from '../member/members.ts'
import { memberOpening } from '../member/resource.ts'
import { membersOfTeam, type OrganizationView, scopeOf, teamIdsOf } from '../org/view.ts'
import { act, countOf, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from './members.ts'
import { createTeam, deleteTeam, renameTeam, teamFields, useTeam } from './teams.ts'

const named = (chosen: readonly Team[], { organization: { slug: org } }: OrganizationView) =>
  chosen.map((team) => ({ team, org }))
const membersCommand = (team: Team | undefined, { organization: { slug } }: OrganizationView) =>
  commandWith(teamMemberList, [], { given: { team: team?.name }, flags: ['--org', slug] })

export const teams: Resource<Team, OrganizationView> = {
  noun: 'team',
  fields: teamFields,
  list: ['name', 'members', 'createdAt', 'yours'],
  detail: ['members', 'createdAt', 'id'],
  id: ({ id }) => id,
  label: ({ name }) => name,
  line: ({ name }) => name,
  of: ({ organization }) => organization.teams ?? none,
  empty: ({ organization }, create) =>
    organization.teams ? `No team yet. ${create} creates one.` : 'This service has no teams.',
  acts: [
    act(createTeam, { key: ['c', 'create', 'create'], about: 'place', subjects: (_, view) => [scopeOf(view)] }),
    act(renameTeam, { key: ['e', 'edit', 'rename'], about: 'one', subjects: named }),
    act(useTeam, { about: 'one', subjects: named }),
    act(deleteTeam, {
      key: ['D', 'remove', 'delete'],
      about: 'one',
      removes: true,
      subjects: named,
      details: (chosen, view) => chosen.map(({ id }) => countOf({ noun: 'member' }, membersOfTeam(view, id).length)),
    }),
  ],
  command: membersCommand,
  below: (team, view) => ({
    kind: 'look',
    label: 'Members of the team',
    command: membersCommand(team, view),
    opens: { screen: 'team', subject: team.id, title: team.name, organizationId: view.organization.id },
  }),
}
const none: readonly Team[] = []

interface TeamView extends OrganizationView {
  readonly team: Team
}

/** Undefined when the team no longer exists. */
export function teamIn(view: OrganizationView, id: string): TeamView | undefined {
  const team = view.organization.teams?.find((one) => one.id === id)
  return team && { ...view, team }
}

/** The chosen members as subjects of flows about that team. */
const placed = (chosen: readonly Pick<ListedMember, 'id'>[], { team, organization }: TeamView) =>
  withSameIds(organization.members, chosen).map((member) => ({ member, team, org: organization.slug }))

export const teamMembers: Resource<ListedMember, TeamView> = {
  noun: 'member',
  fields: memberFields,
  list: ['name', 'email', 'roles'],
  detail: ['email', 'machine', 'roles', 'may', 'teamIds', 'createdAt', 'userId', 'id'],
  id: ({ id }) => id,
  label: ({ name }) => name,
  line: memberLine,
  of: (view) => membersOfTeam(view, view.team.id).map(toListedMember),
  empty: (_, create) => `Nobody is in this team yet. ${create} adds a member.`,
  acts: [
    {
      key: ['c', 'create', 'add'],
      about: 'place',
      // Offers members who are not in the team yet.
      offers: (_, view) => [
        {
          kind: 'choice',
          label: 'Add a member',
          title: `Into ${view.team.name}`,
          isSearchable: true,
          isForOneself: isBlockedWhileImpersonating(addTeamMember),
          disabledReason: addTeamMember.disabledReason?.([], view),
          options: () =>
            view.organization.members
              .filter((member) => !teamIdsOf(member).includes(view.team.id))
              .map((member) => ({
                id: member.id,
                label: memberLine(toListedMember(member)),
                offer: {
                  kind: 'action',
                  action: actionOf(addTeamMember, [{ member, team: view.team, org: view.organization.slug }], view),
                },
              })),
        },
      ],
    },
    act(removeTeamMember, { key: ['D', 'remove', 'take out'], about: 'several', removes: true, subjects: placed }),
  ],
  command: (_, view) => membersCommand(view.team, view),
  own: memberOpening,
}
