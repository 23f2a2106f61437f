import type { FullOrganization } from '../../../shared/organization.ts'
import type { Config } from '../../config.ts'

/** Removes teamId when teams are turned off. */
export function hideTeamIfOff<T extends { readonly teamId?: string | null | undefined }>({ TEAMS }: Config, row: T): T {
  if (TEAMS) return row
  const { teamId: _, ...rest } = row
  return rest as T
}

/** The organization without its teams. */
export function withoutTeams(full: FullOrganization): FullOrganization {
  const { incomplete: cut, ...rest } = full
  const incomplete = cut?.filter((name) => name !== 'teams') ?? []
  return { ...rest, teams: null, ...(incomplete.length > 0 ? { incomplete } : {}) }
}
