import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { runBulk } from '../bulk.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { linesOf } from '../stdin-lines.ts'
import { listAllMembers, pickMember, userArgument } from './members.ts'

export const memberRemoveCommand = (context: Context): Command =>
  about(
    new Command('remove')
      .description('Remove members from the organization')
      .argument('<user...>', `${userArgument}; - reads them from stdin, one a line`)
      .action((words: string[]) => remove(context, words)),
    {
      form: 'bulk',
      writes: true,
      fields: { input: 'text', status: 'text', id: 'text?', error: 'any' },
      examples: [
        'postern member remove ben@example.com',
        'postern member remove - --org acme --yes --json < addresses.txt',
      ],
    },
  )

async function remove(context: Context, words: readonly string[]): Promise<void> {
  const inputs = await linesOf(context.host.stdin, words)
  const [only] = inputs.length === 1 ? inputs : []
  await context.confirm(`Remove ${only ?? `${inputs.length} members`} from the organization?`, {
    ready: `postern member remove ${words.join(' ')} --yes`,
    expected: only,
  })
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const members = await listAllMembers(connection, organizationId)
  await runBulk(context, inputs, async (input) => {
    const { id } = pickMember(members, input)
    await connection.api.member.removeMember({ memberIdOrEmail: id, organizationId })
    return { status: 'deleted', id }
  })
}
