import type { Team } from '../../../shared/organization.ts'
import type { Listing } from '../listing.ts'
import { teamColumns, teamFields, teamsOf } from './teams.ts'

export const teamList: Listing<Team> = {
  command: 'team list',
  summary: 'The teams of the organization',
  fields: {},
  call: '/organization/list-teams',
  answer: teamFields,
  columns: teamColumns,
  empty: 'No teams',
  examples: ['', '--org acme --json=id,name'],
  list: teamsOf,
}
