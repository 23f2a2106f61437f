import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { findTeam, teamArgument, teamFields } from './teams.ts'

export const teamDeleteCommand = (context: Context): Command =>
  about(
    new Command('delete')
      .description('Delete a team; its members stay in the organization')
      .argument('<team>', teamArgument)
      .action((word: string) => remove(context, word)),
    {
      form: 'change',
      writes: true,
      fields: teamFields,
      examples: ['postern team delete Design', 'postern team delete Design --yes'],
    },
  )

async function remove(context: Context, word: string): Promise<void> {
  await context.confirm(`Delete team ${word}?`, { ready: `postern team delete ${word} --yes`, expected: word })
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const team = await findTeam(connection, organizationId, word)
  await connection.api.team.removeTeam({ teamId: team.id, organizationId: team.organizationId })
  context.out.done(`Deleted team ${team.name}`, { status: 'deleted', resource: team })
}
