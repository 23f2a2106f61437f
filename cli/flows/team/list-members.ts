import type { Listing } from '../listing.ts'
import type { ListedMember } from '../member/members.ts'
import { listedMember, memberColumns, memberFields } from '../member/members.ts'
import { teamField, teamNamed } from './members.ts'

const fields = { team: teamField } as const

export const teamMemberList: Listing<ListedMember, typeof fields> = {
  command: 'team member list',
  summary: 'The members of a team',
  fields,
  call: '/organization/list-team-members',
  answer: memberFields,
  columns: memberColumns,
  empty: ({ team }) => `Nobody is in ${team}`,
  examples: ['--team Design'],
  list: async (ports, values) => {
    const { id } = await teamNamed(ports, values.team)
    const { api } = await ports.signedIn()
    return (await api.team.listTeamMembers({ teamId: id })).map(listedMember)
  },
}
