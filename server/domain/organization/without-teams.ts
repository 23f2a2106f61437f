import type { FullOrganization } from '../../../shared/organization.ts'

/** The organization without its teams. */
export function withoutTeams(full: FullOrganization): FullOrganization {
  const { incomplete: cut, ...rest } = full
  const incomplete = cut?.filter((name) => name !== 'teams') ?? []
  return { ...rest, teams: null, ...(incomplete.length > 0 ? { incomplete } : {}) }
}
