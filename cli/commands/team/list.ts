import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { listTeams, teamColumns, teamFields } from './teams.ts'

export const teamListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The teams of the organization').action(async () => {
      const connection = await context.connectSignedIn()
      const teams = await listTeams(connection, await organizationIdOf(context, connection))
      await context.out.list(teams, teamColumns, { empty: 'No teams' })
    }),
    {
      form: 'list',
      fields: teamFields,
      examples: ['postern team list', 'postern team list --org acme --json=id,name'],
    },
  )
