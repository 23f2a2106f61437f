import { exitCodes } from '../../../../shared/exit-codes.ts'
import { CliError } from '../../../output/cli-error.ts'
import type { CurrentOrganization, CurrentPerson } from './current.ts'
import { personTeams, teamList } from './person-teams.ts'
import type { OrganizationDocument } from './schema.ts'

/**
 * The new names of teams that the document renames, by their present names. Those renamed before are not among them.
 */
export function teamRenames(
  { teams }: Pick<CurrentOrganization, 'teams'>,
  wanted: OrganizationDocument,
): ReadonlyMap<string, string> {
  const present = new Set(teams)
  return new Map(
    (wanted.teams ?? []).flatMap(({ name, renamedFrom }) =>
      renamedFrom !== undefined && present.has(renamedFrom) && !present.has(name) ? [[renamedFrom, name]] : [],
    ),
  )
}

/** The organization as it is after the renames: people stay in their teams. */
export function withRenames(current: CurrentOrganization, wanted: OrganizationDocument): CurrentOrganization {
  const names = teamRenames(current, wanted)
  const renamed = (team: string) => names.get(team) ?? team
  const placed = (person: CurrentPerson) => ({ ...person, team: personTeams(teamList(person.team).map(renamed)) })
  return {
    ...current,
    teams: current.teams && current.teams.map(renamed),
    members: current.members.map(placed),
    invitations: current.invitations.map(placed),
  }
}

/** Exit 7 if both the old and the new team exist: which people belong together is for a person to decide. */
export function checkRenames({ teams }: Pick<CurrentOrganization, 'teams'>, wanted: OrganizationDocument): void {
  const present = new Set(teams)
  const lines = (wanted.teams ?? []).flatMap(({ name, renamedFrom }) =>
    renamedFrom !== undefined && present.has(renamedFrom) && present.has(name)
      ? [`${renamedFrom} cannot become ${name}: both exist`]
      : [],
  )
  if (lines.length === 0) return
  throw new CliError(exitCodes.conflict, `${wanted.organization.name} has both the old and the new team`, {
    code: 'TEAM_EXISTS_ALREADY',
    details: lines,
    hint: 'Remove renamedFrom, or move their people into one team and delete the other: postern team delete TEAM',
  })
}
