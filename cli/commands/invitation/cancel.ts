import { Command } from 'commander'
import type { Invitation } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../../flows/org/organizations.ts'
import { runBulk } from '../bulk.ts'
import { linesOf } from '../stdin-lines.ts'
import { pickSent } from './invitations.ts'

export const invitationCancelCommand = (context: Context): Command =>
  about(
    new Command('cancel')
      .description('Take invitations back')
      .argument('<invitation...>', 'their ids, or the addresses they were sent to; - reads them from stdin, one a line')
      .action((words: string[]) => cancel(context, words)),
    {
      form: 'bulk',
      writes: true,
      fields: { input: 'text', status: 'text', id: 'text?', error: 'any' },
      examples: [
        'postern invitation cancel ben@example.com',
        'postern invitation list --status pending --quiet | postern invitation cancel - --json',
      ],
    },
  )

async function cancel(context: Context, words: readonly string[]): Promise<void> {
  const inputs = await linesOf(context.host.stdin, words)
  const connection = await context.connectSignedIn()
  const { invitation: calls } = connection.api
  const hasAddress = inputs.some((input) => input.includes('@'))
  const organizationId = hasAddress
    ? await organizationIdOf(connection, context.settings.organization.value)
    : undefined
  const asked = { organizationId, status: 'all' } as const
  const sent: readonly Invitation[] = hasAddress ? await calls.listInvitations(asked) : []
  await runBulk(context, inputs, async (input) => {
    const invitationId = input.includes('@') ? pickSent(sent, input).id : input
    await calls.cancelInvitation({ invitationId })
    return { status: 'updated', id: invitationId }
  })
}
