import type { FullOrganization, Member } from '../../../shared/organization.ts'
import type { Config } from '../../config.ts'

type InTeams = Pick<Member, 'teamId' | 'teamIds'>

/** Removes the teams of a row when teams are turned off. */
export function hideTeamIfOff<T extends InTeams>({ TEAMS }: Config, row: T): T {
  if (TEAMS) return row
  const { teamId: _first, teamIds: _all, ...rest } = row
  return rest as T
}

/** The organization without its teams. */
export function withoutTeams(full: FullOrganization): FullOrganization {
  const { incomplete: cut, ...rest } = full
  const incomplete = cut?.filter((name) => name !== 'teams') ?? []
  return { ...rest, teams: null, ...(incomplete.length > 0 ? { incomplete } : {}) }
}
