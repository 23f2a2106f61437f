import { Command } from 'commander'
import { rolesIn } from '../../../shared/role-text.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { runBulk } from '../bulk.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { linesOf } from '../stdin-lines.ts'
import { findTeam } from '../team/teams.ts'

interface Options {
  readonly role?: string
  readonly team?: string
}

const ready = 'postern invitation create ben@example.com --role member'

export const invitationCreateCommand = (context: Context): Command =>
  about(
    new Command('create')
      .description('Invite addresses to the organization; each gets a mail')
      .argument('<email...>', 'their addresses; - reads them from stdin, one a line')
      .option('--role <role>', 'role they get, or several comma-separated')
      .option('--team <team>', 'team they join: id or unique name')
      .action((emails: string[], options: Options) => invite(context, emails, options)),
    {
      form: 'bulk',
      writes: true,
      fields: { input: 'text', status: 'text', id: 'text?', error: 'any' },
      examples: [ready, 'postern invite create - --org acme --role member --json < addresses.txt'],
    },
  )

async function invite(context: Context, words: readonly string[], { role: given, team }: Options): Promise<void> {
  const { role: text } = await context.ask({ role: { flag: '--role', label: 'Role', value: given } }, ready)
  const emails = await linesOf(context.host.stdin, words)
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const teamId = team === undefined ? undefined : (await findTeam(connection, organizationId, team)).id
  const role = [...rolesIn(text)]
  await runBulk(context, emails, async (email) => {
    const { id } = await connection.api.invitation.inviteMember({ email, role, organizationId, teamId })
    return { status: 'created', id }
  })
}
