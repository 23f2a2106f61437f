import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { Flow } from '../flow.ts'
import { inOrganization, type OrganizationScope } from '../org/scope.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { grantableRoles } from '../role/grantable-roles.ts'
import { findTeam } from '../team/teams.ts'
import { invitationFields, type ListedInvitation, listedInvitation } from './invitations.ts'

const fields = {
  email: {
    kind: 'text',
    label: 'E-mail',
    argument: '<email...>',
    summary: 'their addresses; - reads them from stdin, one a line',
    check: (text: string) => (isEmail(text.trim()) ? undefined : 'An e-mail address looks like ada@example.com'),
  },
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role>',
    summary: 'role they get, or several comma-separated',
    key: 'role',
  },
  team: {
    kind: 'choice',
    label: 'Team',
    flag: '--team <team>',
    summary: 'team they join: id or unique name',
    key: 'teamId',
    isOptional: true,
  },
} as const

export const invite: Flow<OrganizationScope, typeof fields, OrganizationView, ListedInvitation> = {
  command: 'invitation create',
  summary: 'Invite addresses to the organization; each gets a mail',
  title: 'Invite somebody',
  writes: true,
  needsSession: true,
  subject: inOrganization,
  fields,
  bulk: 'email',
  call: '/organization/invite-member',
  answer: invitationFields,
  examples: [
    'postern invitation create ben@example.com --role member',
    'postern invite create - --org acme --role member --json < addresses.txt',
  ],
  note: () => 'A mail tells them how to accept.',
  disabledReason: (_, view) => whyNotPermitted(view, 'invitation:create'),
  initial: (_, view) => ({ roles: view && Object.hasOwn(view.roles, 'member') ? ['member'] : [] }),
  options: (_, view) => ({
    roles: grantableRoles(view),
    team: [{ id: '', label: 'none' }, ...(view.organization.teams ?? []).map(({ id, name }) => ({ id, label: name }))],
  }),
  check: ({ roles = [] }) => ({ roles: roles.length === 0 ? 'At least one role is needed' : undefined }),
  run: async (ports, { organizationId }, values) => {
    const connection = await ports.signedIn()
    const teamId = values.team ? (await findTeam(connection, organizationId, values.team)).id : undefined
    const asked = { email: canonicalEmail(values.email.trim()), role: [...values.roles], organizationId, teamId }
    const resource = listedInvitation(await connection.api.invitation.inviteMember(asked), ports.now())
    return { sentence: `Invited ${resource.email} as ${resource.roles.join(', ')}`, status: 'created', resource }
  },
}
