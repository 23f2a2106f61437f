import { Command } from 'commander'
import type { FullOrganization } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { listedInvitation } from '../../flows/invitation/invitations.ts'
import { listedMember } from '../../flows/member/members.ts'
import { noActiveOrganizationError, organizationFields, organizationIdOf } from '../../flows/org/organizations.ts'
import { wholeOrganization } from '../../flows/org/whole-organization.ts'
import type { Column } from '../../output/cell.ts'

const columns: readonly Column<FullOrganization>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Slug', value: ({ slug }) => slug },
  { header: 'Logo', value: ({ logo }) => logo },
  { header: 'Metadata', value: ({ metadata }) => metadata && JSON.stringify(metadata) },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'Members', value: ({ members }) => members.length },
  { header: 'Invited', value: ({ invitations }) => invitations.length },
  { header: 'Teams', value: ({ teams }) => teams?.map(({ name }) => name) },
]

export const orgViewCommand = (context: Context): Command =>
  about(
    new Command('view')
      .description('An organization with its members, pending invitations and teams')
      .argument('[org]', 'id, slug or name; default: --org, else the active one')
      .action((word: string | undefined) => view(context, word)),
    {
      form: 'one',
      fields: { ...organizationFields, members: 'list', invitations: 'list', teams: 'any' },
      examples: ['postern org view', 'postern org view acme --json=members'],
    },
  )

async function view(context: Context, word: string | undefined): Promise<void> {
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(connection, word ?? context.settings.organization.value)
  const full = await wholeOrganization(connection.api, { organizationId })
  if (!full) throw noActiveOrganizationError()
  const { style } = context.out
  if (style.mode === 'people' || style.mode === 'programs') return context.out.one(full, columns)
  const { now } = style.page
  const members = full.members.map(listedMember)
  const invitations = full.invitations.map((invitation) => listedInvitation(invitation, now))
  await context.out.one({ ...full, members, invitations }, [])
}
