import { Command, Option } from 'commander'
import type { Invitation } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import type { Connection } from '../../client/connect.ts'
import type { Context } from '../../context.ts'
import { invitationFields, listedInvitation, receivedColumns, sentColumns } from '../../flows/invitation/invitations.ts'
import { organizationIdOf } from '../../flows/org/organizations.ts'
import { toCliError } from '../../output/error-report.ts'

// Written out: the list of the contract would load zod with every command.
const statuses: readonly Invitation['status'][] = ['pending', 'accepted', 'rejected', 'canceled']

interface Options {
  readonly status?: Invitation['status']
  readonly mine?: boolean
}

export const invitationListCommand = (context: Context): Command =>
  about(
    new Command('list')
      .description('The invitations of the organization; without one, those to the signed-in user')
      .addOption(new Option('--status <status>', 'only those').choices(statuses))
      .option('--mine', 'those to the signed-in user')
      .action((options: Options) => list(context, options)),
    {
      form: 'list',
      fields: invitationFields,
      examples: [
        'postern invitation list --status pending',
        'postern invitation list --mine --json=id,organizationSlug',
      ],
    },
  )

async function list(context: Context, { status, mine }: Options): Promise<void> {
  const connection = await context.connectSignedIn()
  const sent = mine ? undefined : await listSent(context, connection, status ?? 'all')
  const invitations = sent ?? (await connection.api.invitation.listUserInvitations())
  const { now } = context.out.style.page
  const listed = invitations
    .filter((invitation) => status === undefined || invitation.status === status)
    .map((invitation) => listedInvitation(invitation, now))
  const empty = sent ? 'No invitations' : 'No invitations to you'
  await context.out.list(listed, sent ? sentColumns : receivedColumns, { empty })
}

/** Undefined where no organization is named or active. */
async function listSent(context: Context, connection: Connection, status: Invitation['status'] | 'all') {
  const organizationId = await organizationIdOf(connection, context.settings.organization.value)
  try {
    return await connection.api.invitation.listInvitations({ organizationId, status })
  } catch (error) {
    if (toCliError(error).code === 'ORGANIZATION_ID_IS_REQUIRED') return undefined
    throw error
  }
}
