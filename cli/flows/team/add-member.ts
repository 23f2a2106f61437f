import type { MemberView } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { memberFields } from '../member/members.ts'
import { type OrganizationView, whyNotChangeTeams } from '../org/view.ts'
import { type Placement, peopleIn, placements, teamField, teamIn } from './members.ts'

const fields = { team: teamField } as const

/** A member is in at most one team: this moves who is in another one. */
export const addTeamMember: Flow<Placement, typeof fields, OrganizationView, MemberView> = {
  command: 'team member add',
  summary: 'Put members of the organization into a team; who is in another one moves',
  title: 'Put into a team',
  writes: true,
  needsSession: true,
  subject: placements,
  fields,
  call: '/organization/add-team-member',
  answer: memberFields,
  examples: ['ben@example.com --team Design', '- --team Design --json < addresses.txt'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  run: async (ports, placement) => {
    const { member, team } = placement
    const sentence = `Put ${peopleIn([placement])} into ${team.name}`
    if (member.teamId === team.id) return { sentence, status: 'unchanged', resource: member }
    const { api } = await ports.signedIn()
    await api.team.addTeamMember({ teamId: team.id, userId: member.userId })
    return { sentence, status: 'updated', resource: { ...member, teamId: team.id } }
  },
  doneWith: (several) => `Put ${peopleIn(several)} into ${teamIn(several)}`,
}
