import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { teamFields, withTeams } from './teams.ts'

export const teamCreateCommand = (context: Context): Command =>
  about(
    new Command('create')
      .description('Create a team in the organization')
      .argument('<name>', 'its name')
      .action((name: string) => create(context, name)),
    { form: 'change', writes: true, fields: teamFields, examples: ['postern team create Design'] },
  )

async function create(context: Context, name: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const resource = await withTeams(() => connection.api.team.createTeam({ name, organizationId }))
  context.out.done(`Created team ${resource.name}`, { status: 'created', resource })
}
