import type { MemberView, Team } from '../../../shared/organization.ts'
import { isOwner, type OrganizationView, refuseRemoval, refuseTeams } from '../../flows/org/view.ts'
import { type Act, connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'

/** `Ada Lovelace  ada@example.com` */
export const nameOf = ({ user }: MemberView): string => `${user.name}  ${user.email}`

const emailsOf = (members: readonly MemberView[]): readonly string[] => members.map(({ user }) => user.email)
const countOf = ([first, ...rest]: readonly MemberView[]): string =>
  rest.length === 0 ? (first?.user.email ?? 'the member') : `${rest.length + 1} members`

export const removeMembers = (view: OrganizationView, chosen: readonly MemberView[]): Act<MemberView> => ({
  label: 'Remove',
  isWrite: true,
  refusal: () => refuseRemoval(view, chosen),
  command: (members) => removal(view, members),
  question: (members) => `Remove ${countOf(members)} from ${view.organization.name}?`,
  word: (_desk, members) => wordFor(view, ownersAmong(members)),
  run: async (desk, members) => {
    const { api } = connectionOf(desk)
    for (const { id, organizationId } of members) {
      await api.member.removeMember({ memberIdOrEmail: id, organizationId })
    }
  },
  done: (members) => `Removed ${countOf(members)}`,
})

const ownersAmong = (members: readonly MemberView[]) => members.filter(({ role }) => isOwner(role))

/** Owners are removed by their name: the address of one, or the slug of what several own. */
const wordFor = ({ organization }: OrganizationView, [owner, ...others]: readonly MemberView[]): string | undefined =>
  others.length > 0 ? organization.slug : owner?.user.email

function removal({ organization }: OrganizationView, members: readonly MemberView[]): string {
  const consent = ownersAmong(members).flatMap(({ user }) => ['--confirm', user.email])
  const flags = ['--org', organization.slug, ...(members.length === 1 ? consent : [])]
  return commandLine('postern', 'member', 'remove', ...emailsOf(members), ...flags)
}

/** A member and a team of the same organization. */
export interface Placement {
  readonly member: MemberView
  readonly team: Team
}

const teamOf = (placements: readonly Placement[]): string => placements[0]?.team.name ?? 'the team'
const membersOf = (placements: readonly Placement[]): readonly MemberView[] => placements.map(({ member }) => member)

/** A member is in at most one team: this moves who is in another one. */
export const putIntoTeam = (view: OrganizationView): Act<Placement> => ({
  label: 'Put into a team',
  isWrite: true,
  refusal: () => refuseTeams(view, 'team:update'),
  command: (placements) => teamMember('add', view, placements),
  run: async (desk, placements) => {
    const { api } = connectionOf(desk)
    for (const { team, member } of placements) {
      await api.team.addTeamMember({ teamId: team.id, userId: member.userId })
    }
  },
  done: (placements) => `Put ${countOf(membersOf(placements))} into ${teamOf(placements)}`,
})

export const takeOutOfTeam = (view: OrganizationView): Act<Placement> => ({
  label: 'Take out of the team',
  isWrite: true,
  refusal: () => refuseTeams(view, 'team:update'),
  command: (placements) => teamMember('remove', view, placements),
  question: (placements) => `Take ${countOf(membersOf(placements))} out of ${teamOf(placements)}?`,
  run: async (desk, placements) => {
    const { api } = connectionOf(desk)
    for (const { team, member } of placements) {
      await api.team.removeTeamMember({ teamId: team.id, userId: member.userId })
    }
  },
  done: (placements) => `Took ${countOf(membersOf(placements))} out of ${teamOf(placements)}`,
})

const teamMember = (
  verb: 'add' | 'remove',
  { organization }: OrganizationView,
  placements: readonly Placement[],
): string => {
  const flags = ['--team', placements[0]?.team.name ?? 'TEAM', '--org', organization.slug]
  return commandLine('postern', 'team', 'member', verb, ...emailsOf(membersOf(placements)), ...flags)
}
