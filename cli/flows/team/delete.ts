import type { Team } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotChangeTeams } from '../org/view.ts'
import { type NamedTeam, oneTeam, teamFields } from './teams.ts'

export const deleteTeam: Flow<NamedTeam, Readonly<Record<never, never>>, OrganizationView, Team> = {
  command: 'team delete',
  summary: 'Delete a team; its members stay in the organization',
  title: 'Delete the team',
  writes: true,
  needsSession: true,
  subject: oneTeam,
  fields: {},
  call: '/organization/remove-team',
  answer: teamFields,
  examples: ['Design', 'Design --yes'],
  consent: { question: ([one]) => `Delete team ${one?.team.name}? Its members stay in the organization.` },
  disabledReason: ([one], view) =>
    (one && one.team.id === view.self?.teamId ? 'you are in it yourself' : undefined) ??
    whyNotChangeTeams(view, 'team:delete'),
  run: async (ports, { team }) => {
    const { api } = await ports.signedIn()
    await api.team.removeTeam({ teamId: team.id, organizationId: team.organizationId })
    return { sentence: `Deleted team ${team.name}`, status: 'deleted', resource: team }
  },
}
