import type { MemberView } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { memberFields } from '../member/members.ts'
import { type OrganizationView, whyNotChangeTeams } from '../org/view.ts'
import { type Placement, peopleIn, placements, teamField, teamIn } from './members.ts'

const fields = { team: teamField } as const

export const removeTeamMember: Flow<Placement, typeof fields, OrganizationView, MemberView> = {
  command: 'team member remove',
  summary: 'Take members out of a team; they stay in the organization',
  title: 'Take out of the team',
  writes: true,
  needsSession: true,
  subject: placements,
  fields,
  call: '/organization/remove-team-member',
  answer: memberFields,
  examples: ['ben@example.com --team Design'],
  consent: { question: (several) => `Take ${peopleIn(several)} out of ${teamIn(several)}?`, forKeysOnly: true },
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  run: async (ports, placement) => {
    const { member, team } = placement
    const { api } = await ports.signedIn()
    await api.team.removeTeamMember({ teamId: team.id, userId: member.userId })
    const resource = { ...member, teamId: null }
    return { sentence: `Took ${peopleIn([placement])} out of ${team.name}`, status: 'updated', resource }
  },
  doneWith: (several) => `Took ${peopleIn(several)} out of ${teamIn(several)}`,
}
