import type { Team } from '../../../shared/organization.ts'
import { type OrganizationView, refuseTeams } from '../../flows/org/view.ts'
import { type Act, connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'

export const deleteTeam = (view: OrganizationView, chosen: Team | undefined): Act<Team> => ({
  label: 'Delete the team',
  isWrite: true,
  refusal: () =>
    (chosen && chosen.id === view.self?.teamId ? 'you are in it yourself' : undefined) ??
    refuseTeams(view, 'team:delete'),
  command: ([team]) => commandLine('postern', 'team', 'delete', team?.name ?? 'TEAM', '--org', view.organization.slug),
  question: ([team]) => `Delete the team ${team?.name ?? ''}? Its members stay in ${view.organization.name}.`,
  run: async (desk, teams) => {
    const { api } = connectionOf(desk)
    for (const { id, organizationId } of teams) await api.team.removeTeam({ teamId: id, organizationId })
  },
  done: ([team]) => `Deleted the team ${team?.name ?? ''}`,
})
