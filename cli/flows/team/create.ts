import type { Team } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { nameProblem } from '../name-field.ts'
import { inOrganization, type OrganizationScope } from '../org/scope.ts'
import { type OrganizationView, whyNotChangeTeams } from '../org/view.ts'
import { teamFields, withTeams } from './teams.ts'

const fields = {
  name: { kind: 'text', label: 'Name', argument: '<name>', summary: 'its name', check: nameProblem },
} as const

export const createTeam: Flow<OrganizationScope, typeof fields, OrganizationView, Team> = {
  command: 'team create',
  summary: 'Create a team in the organization',
  title: 'Create a team',
  writes: true,
  needsSession: true,
  subject: inOrganization,
  fields,
  call: '/organization/create-team',
  answer: teamFields,
  examples: ['Design'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:create'),
  // The service takes a name twice, and then it means neither in a command.
  check: ({ name }, _, view) => ({
    name: view?.organization.teams?.some((team) => team.name === name) ? 'There is a team of that name' : undefined,
  }),
  run: async (ports, { organizationId }, { name }) => {
    const { api } = await ports.signedIn()
    const resource = await withTeams(() => api.team.createTeam({ name, organizationId }))
    return { sentence: `Created team ${resource.name}`, status: 'created', resource }
  },
}
