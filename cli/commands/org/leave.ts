import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { chooseOrganization, organizationFields } from '../../flows/org/organizations.ts'
import { titleOf } from '../../sole-organizations.ts'

export const orgLeaveCommand = (context: Context): Command =>
  about(
    new Command('leave')
      .description('Leave an organization')
      .argument('[org]', 'id, slug or name; default: --org, else the active one')
      .action((word: string | undefined) => leave(context, word)),
    {
      form: 'change',
      writes: true,
      fields: organizationFields,
      examples: ['postern org leave', 'postern org leave acme --yes'],
    },
  )

async function leave(context: Context, word = context.settings.organization.value): Promise<void> {
  const ready = ['postern org leave', word, '--yes'].filter(Boolean).join(' ')
  await context.confirm(`Leave ${word ?? 'the active organization'}?`, {
    ready,
    expected: word === undefined ? [] : [word],
  })
  const connection = await context.connectSignedIn()
  const organization = await chooseOrganization(connection, word ?? context.settings.organization.value)
  await connection.api.member.leave({ organizationId: organization.id })
  context.out.done(`Left ${titleOf(organization)}`, { status: 'deleted', resource: organization })
}
