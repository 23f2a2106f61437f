import type { MemberView, Team } from '../../../shared/organization.ts'
import { commandLine } from '../../output/shell-line.ts'
import { type Flow, flag, type Subject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { inverseOf } from '../inverse.ts'
import type { Listing } from '../listing.ts'
import {
  currentMember,
  type ListedMember,
  memberAddresses,
  memberColumns,
  memberCount,
  memberFields,
  pickMember,
  toListedMember,
  userArgument,
} from '../member/members.ts'
import { workingOrganizationId } from '../org/organizations.ts'
import { allMembers, type OrganizationView, teamIdsOf, whyNotChangeTeams } from '../org/view.ts'
import { withHint } from '../refusals.ts'
import { teamArgument, teamFinder, teamNames } from './teams.ts'

/** A member and a team of the same organization. */
interface Placement {
  readonly member: MemberView
  readonly team: Team
  readonly org?: string | undefined
}

const teamField = {
  kind: 'text',
  label: 'Team',
  flag: '--team <team>',
  summary: `the team: ${teamArgument}`,
  isOfSubject: true,
  key: 'teamId',
  complete: teamNames,
} as const

type InTeam = { readonly team: typeof teamField }

async function teamNamed(context: FlowContext, word: string): Promise<Team> {
  const connection = await context.signedIn()
  return (await teamFinder(connection, await workingOrganizationId(context)))(word)
}

const placements: Subject<Placement, InTeam> = {
  argument: '<user...>',
  summary: userArgument,
  key: 'userId',
  finder: async (context, values) => {
    const team = await teamNamed(context, values.team)
    const members = await allMembers((await context.signedIn()).api, team.organizationId)
    return (word = '') => ({ member: pickMember(members, word), team })
  },
  words: ({ member, team, org }) => ({
    word: member.user.email,
    flags: ['--team', team.name, ...flag('org', org)],
  }),
  complete: memberAddresses,
}

const teamIn = ([first]: readonly Placement[]): string => first?.team.name ?? 'the team'

const isIn = ({ member, team }: Placement): boolean => teamIdsOf(member).includes(team.id)

/** How a placement is taken back. Screens know the team, so its field has no value. */
const placed = (now: Placement) => ({
  subject: now,
  values: { team: now.team.id },
  what: `The teams of ${now.member.user.email}`,
  isUnchanged: async (context: FlowContext) => {
    const found = await currentMember(context, now)
    return found !== undefined && isIn({ ...now, ...found }) === isIn(now)
  },
})

const inTeams = (member: MemberView, teamIds: readonly string[]): MemberView => ({
  ...member,
  teamId: teamIds[0] ?? null,
  teamIds: [...teamIds],
})

const fields = { team: teamField } as const

export const addTeamMember: Flow<Placement, typeof fields, OrganizationView, MemberView> = {
  command: 'team member add',
  summary: 'Put members of the organization into a team; they stay in their other teams',
  title: 'Put into a team',
  subject: placements,
  fields,
  bulk: 'subject',
  call: '/organization/add-team-member',
  answer: memberFields,
  examples: ['ben@example.com --team Design', '- --team Design --json < addresses.txt', '--csv teams.csv'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  run: async (context, placement) => {
    const { member, team } = placement
    const sentence = `Put ${memberCount([placement])} into ${team.name}`
    if (isIn(placement)) return { sentence, status: 'unchanged', resource: member }
    const { api } = await context.signedIn()
    const added = await api.team.addTeamMember({ teamId: team.id, userId: member.userId })
    return { sentence, status: 'updated', resource: inTeams(member, teamIdsOf(added)) }
  },
  inverse: ({ subject, resource }) => inverseOf(removeTeamMember, placed({ ...subject, member: resource })),
  doneWith: (several) => `Put ${memberCount(several)} into ${teamIn(several)}`,
}

export const removeTeamMember: Flow<Placement, typeof fields, OrganizationView, MemberView> = {
  command: 'team member remove',
  summary: 'Take members out of a team; they stay in the organization',
  title: 'Take out of the team',
  subject: placements,
  fields,
  bulk: 'subject',
  call: '/organization/remove-team-member',
  answer: memberFields,
  examples: ['ben@example.com --team Design'],
  consent: { question: (several) => `Take ${memberCount(several)} out of ${teamIn(several)}?`, forKeysOnly: true },
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  run: async (context, placement) => {
    const { member, team } = placement
    const { api } = await context.signedIn()
    const { word: email = '', flags = [] } = placements.words(placement)
    const hint = `See who is: ${commandLine('postern', 'team', 'member', 'list', ...flags)}`
    await api.team
      .removeTeamMember({ teamId: team.id, userId: member.userId })
      .catch(withHint('MEMBER_NOT_FOUND', hint, `${email} is not in ${team.name}`))
    const left = teamIdsOf(member).filter((id) => id !== team.id)
    const sentence = `Took ${memberCount([placement])} out of ${team.name}`
    return { sentence, status: 'updated', resource: inTeams(member, left) }
  },
  inverse: ({ subject, resource }) => inverseOf(addTeamMember, placed({ ...subject, member: resource })),
  doneWith: (several) => `Took ${memberCount(several)} out of ${teamIn(several)}`,
}

export const teamMemberList: Listing<ListedMember, typeof fields> = {
  command: 'team member list',
  summary: 'The members of a team',
  fields,
  call: '/organization/list-team-members',
  answer: memberFields,
  columns: memberColumns,
  empty: ({ team }) => `Nobody is in ${team}`,
  examples: ['--team Design'],
  list: async (context, values) => {
    const { id } = await teamNamed(context, values.team)
    const { api } = await context.signedIn()
    return (await api.team.listTeamMembers({ teamId: id })).map(toListedMember)
  },
}
