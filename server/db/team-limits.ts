import type postgres from 'postgres'
import type { Sql } from './connect.ts'

/** Whether all of these are teams of the organization. They are different. */
export const areTeamsOf = (sql: Sql, teamIds: readonly string[], organizationId: string) => sql`
  (select count(*) from teams where id = any(${teamIds}::text[]) and organization_id = ${organizationId}) = ${teamIds.length}
`

/** Whether one of these teams has the maximum number of members. Counted behind the organization's lock. */
export const isTeamFull = (sql: Sql, teamIds: readonly string[] | postgres.Fragment, limit: number) => sql`
  exists (select from team_members where team_id = any(${teamIds}::text[]) group by team_id having count(*) >= ${limit})
`
