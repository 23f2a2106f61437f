import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { findTeam, teamArgument, teamFields } from './teams.ts'

const ready = 'postern team edit Design --name Drawing'

export const teamEditCommand = (context: Context): Command =>
  about(
    new Command('edit')
      .description('Rename a team')
      .argument('<team>', teamArgument)
      .option('--name <name>', 'new name')
      .action((word: string, options: { name?: string }) => edit(context, word, options)),
    { form: 'change', writes: true, fields: teamFields, examples: [ready] },
  )

async function edit(context: Context, word: string, options: { readonly name?: string }): Promise<void> {
  const { name } = await context.ask({ name: { flag: '--name', label: 'Name', value: options.name } }, ready)
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const team = await findTeam(connection, organizationId, word)
  const data = { name, organizationId: team.organizationId }
  const resource = await connection.api.team.updateTeam({ teamId: team.id, data })
  context.out.done(`Team ${team.name} is now ${resource.name}`, {
    status: team.name === resource.name ? 'unchanged' : 'updated',
    resource,
  })
}
