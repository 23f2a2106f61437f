import { canonicalEmail } from '../../../shared/email.ts'
import { usualOf } from '../field.ts'
import type { Flow, Subject } from '../flow.ts'
import { inOrganization, type OrganizationScope } from '../org/organizations.ts'
import { grantableRoles, type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { roleNames } from '../role/list.ts'
import { findTeam, teamNames } from '../team/teams.ts'
import { invitationFields, type ListedInvitation, listedInvitation } from './invitations.ts'

const fields = {
  email: {
    kind: 'text',
    label: 'E-mail',
    argument: '<email...>',
    summary: 'their addresses; - reads them from stdin, one a line',
    isEmail: true,
  },
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role>',
    summary: 'role they get, or several comma-separated',
    key: 'role',
    complete: roleNames,
    usual: 'member',
  },
  team: {
    kind: 'choice',
    label: 'Team',
    flag: '--team <team>',
    summary: 'team they join: id or unique name',
    key: 'teamId',
    complete: teamNames,
    isOptional: true,
  },
} as const

/** Where somebody is invited, and the team that a command names. */
interface InvitationScope extends OrganizationScope {
  readonly teamId?: string | undefined
}

/** Looked up once, however many are invited. */
const inTeam: Subject<InvitationScope, typeof fields> = {
  ...inOrganization,
  finder: async (ports, values, words) => {
    const scope = (await inOrganization.finder(ports, {}, words))(undefined)
    const connection = await ports.signedIn()
    const team = values.team ? await findTeam(connection, scope.organizationId, values.team) : undefined
    return () => ({ ...scope, teamId: team?.id })
  },
}

export const invite: Flow<InvitationScope, typeof fields, OrganizationView, ListedInvitation> = {
  command: 'invitation create',
  summary: 'Invite addresses to the organization; each gets a mail',
  title: 'Invite somebody',
  writes: true,
  needsSession: true,
  subject: inTeam,
  fields,
  bulk: 'email',
  call: '/organization/invite-member',
  answer: invitationFields,
  examples: [
    'ben@example.com --role member',
    'postern invite create - --org acme --role member --json < addresses.txt',
  ],
  note: () => 'A mail tells them how to accept.',
  disabledReason: (_, view) => whyNotPermitted(view, 'invitation:create'),
  initial: (_, view) => ({ roles: usualOf(fields.roles, Object.keys(view?.roles ?? {})) }),
  options: (_, view) => ({
    roles: grantableRoles(view),
    team: [{ id: '', label: 'none' }, ...(view.organization.teams ?? []).map(({ id, name }) => ({ id, label: name }))],
  }),
  check: ({ roles = [] }) => ({ roles: roles.length === 0 ? 'At least one role is needed' : undefined }),
  // Of a form the team is the id that was chosen.
  run: async (ports, scope, values) => {
    const { api } = await ports.signedIn()
    const { organizationId, teamId = values.team || undefined } = scope
    const asked = { email: canonicalEmail(values.email.trim()), role: [...values.roles], organizationId, teamId }
    const resource = listedInvitation(await api.invitation.inviteMember(asked), ports.now())
    return { sentence: `Invited ${resource.email} as ${resource.roles.join(', ')}`, status: 'created', resource }
  },
}
