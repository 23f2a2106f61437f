import type { Team } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { nameProblem } from '../name-field.ts'
import { type OrganizationView, whyNotChangeTeams } from '../org/view.ts'
import { type NamedTeam, oneTeam, teamFields } from './teams.ts'

const fields = {
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'new name', check: nameProblem },
} as const

export const renameTeam: Flow<NamedTeam, typeof fields, OrganizationView, Team> = {
  command: 'team edit',
  summary: 'Rename a team',
  title: 'Rename the team',
  writes: true,
  needsSession: true,
  subject: oneTeam,
  fields,
  call: '/organization/update-team',
  answer: teamFields,
  examples: ['Design --name Drawing'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  initial: ([one]) => ({ name: one?.team.name ?? '' }),
  run: async (ports, { team }, { name }) => {
    const { id, name: before, organizationId } = team
    if (name === before) return { sentence: `Team ${name} has that name already`, status: 'unchanged', resource: team }
    const { api } = await ports.signedIn()
    const resource = await api.team.updateTeam({ teamId: id, data: { name, organizationId } })
    return { sentence: `Team ${before} is now ${resource.name}`, status: 'updated', resource }
  },
}
