import { canonicalEmail } from '../../../shared/email.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { countText } from '../../output/words.ts'
import { commandWith } from '../command-line.ts'
import { initialSelection } from '../field.ts'
import { rolesProblem } from '../field-checks.ts'
import { type Flow, flag, type NoFields, type Subject, type WordAndFlags } from '../flow.ts'
import { inverseOf } from '../inverse.ts'
import { inOrganization, type OrganizationScope } from '../org/organizations.ts'
import {
  grantableRoles,
  type OrganizationView,
  roleNames,
  teamIdsOf,
  teamsInput,
  whyNotPermitted,
} from '../org/view.ts'
import { teamFinder, teamNames } from '../team/teams.ts'
import {
  invitationFields,
  type ListedInvitation,
  orById,
  pendingAddresses,
  pickSent,
  sentInvitations,
  toListedInvitation,
} from './invitations.ts'

/**
 * An invitation of the organization, and how `--org` names that in a command. An invitation given by id can have
 * nothing but that id.
 */
interface SentInvitation<I = Pick<Invitation, 'id'> & Partial<Invitation>> {
  readonly invitation: I
  readonly org?: string | undefined
}

const wordsForInvitation = ({ invitation, org }: SentInvitation): WordAndFlags => ({
  word: invitation.id,
  flags: flag('org', org),
})

const addressInvited = ({ invitation }: SentInvitation): string | undefined => invitation.email

/** Why there is nothing left to do with these. */
function whyNotPending(several: readonly SentInvitation[]): string | undefined {
  const answered = several.find(({ invitation: { status = 'pending' } }) => status !== 'pending')?.invitation
  return answered && `that of ${answered.email} is ${answered.status} already`
}

const invitationCount = ([first, ...rest]: readonly SentInvitation[]): string =>
  rest.length === 0
    ? `the invitation of ${first?.invitation.email ?? first?.invitation.id ?? 'nobody'}`
    : `${countText(rest.length + 1)} invitations`

type CanceledInvitation = Pick<Invitation, 'id'> & Partial<Invitation>

export const cancelInvitation: Flow<SentInvitation, NoFields, OrganizationView, CanceledInvitation> = {
  command: 'invitation cancel',
  summary: 'Take invitations back',
  title: 'Cancel',
  subject: {
    argument: '<invitation...>',
    summary: 'their ids, or the addresses they were sent to',
    key: 'invitationId',
    finder: async (context, _, words) => {
      const isAddress = (word: string) => word.includes('@')
      const listed = sentInvitations(context)
      // An id can belong to any organization; nothing more is known of another organization's invitation.
      const sent = await (words.some(isAddress) ? listed : listed.catch(() => []))
      return (word = '') => ({
        invitation: isAddress(word) ? pickSent(sent, word) : orById(() => pickSent(sent, word), word),
        org: context.organization,
      })
    },
    words: wordsForInvitation,
    name: addressInvited,
    complete: pendingAddresses,
  },
  fields: {},
  bulk: 'subject',
  call: '/organization/cancel-invitation',
  answer: invitationFields,
  examples: [
    'ben@example.com',
    'postern invitation list --status pending --quiet | postern invitation cancel - --json',
  ],
  consent: { question: (several) => `Take ${invitationCount(several)} back?`, forKeysOnly: true },
  disabledReason: (several, view) => whyNotPermitted(view, 'invitation:cancel') ?? whyNotPending(several),
  run: async (context, { invitation }) => {
    if (invitation.status === 'canceled')
      return {
        sentence: `Took ${invitationCount([{ invitation }])} back before`,
        status: 'unchanged',
        resource: invitation,
      }
    const { api } = await context.signedIn()
    const { id: invitationId } = invitation
    await api.invitation.cancelInvitation({ invitationId })
    const resource = { ...invitation, status: 'canceled' } as const
    return { sentence: `Took ${invitationCount([{ invitation }])} back`, status: 'updated', resource }
  },
  // The service refuses it if they were invited or joined meanwhile.
  inverse: ({ subject: { invitation, org } }) => {
    const { email, role, organizationId } = invitation
    if (!email || !role || !organizationId) return undefined
    return inverseOf(invite, {
      subject: { organizationId, org },
      values: { email, roles: role, team: teamIdsOf(invitation) },
      what: `The invitation of ${email}`,
      words: 'invites again, by a new mail',
    })
  },
  doneWith: (several) => `Took ${invitationCount(several)} back`,
}

/** Mails the same invitation again, valid for as long as a new one. */
export const resendInvitation: Flow<SentInvitation<Invitation>, NoFields, OrganizationView, ListedInvitation> = {
  command: 'invitation resend',
  summary: 'Mail pending invitations once more, with a new expiry',
  title: 'Mail it again',
  subject: {
    argument: '<invitation...>',
    summary: 'their ids, or the addresses they were sent to',
    key: 'email',
    finder: async (context) => {
      const sent = await sentInvitations(context)
      return (word = '') => ({ invitation: pickSent(sent, word), org: context.organization })
    },
    words: wordsForInvitation,
    name: addressInvited,
    complete: pendingAddresses,
  },
  fields: {},
  bulk: 'subject',
  answersOne: true,
  call: '/organization/invite-member',
  isFor: ({ resend }) => resend === true,
  answer: invitationFields,
  examples: ['ben@example.com', '- --json < addresses.txt'],
  disabledReason: (several, view) => whyNotPermitted(view, 'invitation:create') ?? whyNotPending(several),
  run: async (context, { invitation }) => {
    const { email, role, status, organizationId } = invitation
    if (status !== 'pending') throw answered(email, status)
    const { api } = await context.signedIn()
    const again = { email, role: [...role], organizationId, resend: true, teamId: teamsInput(teamIdsOf(invitation)) }
    const resource = toListedInvitation(await api.invitation.inviteMember(again), context.now())
    return { sentence: `Mailed ${email} again`, status: 'updated', resource }
  },
  doneWith: (several) => `Mailed ${invitationCount(several)} again`,
}

const answered = (email: string, status: Invitation['status']) =>
  new CliError(exitCodes.conflict, `The invitation to ${email} is ${status}: there is nothing to send again`, {
    code: 'INVITATION_NOT_PENDING',
    hint: commandWith(invite, [], { given: { email } }),
  })

const fields = {
  email: {
    kind: 'text',
    label: 'Email',
    argument: '<email...>',
    summary: 'their addresses',
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
    kind: 'list',
    label: 'Teams',
    flag: '--team <team>',
    summary: 'team they join, by id or unique name, or several comma-separated',
    key: 'teamId',
    complete: teamNames,
    isOptional: true,
  },
} as const

/** The organization that invites, and the teams that a command names. */
interface InvitationScope extends OrganizationScope {
  readonly teamIds?: readonly string[]
}

/** Looked up once for all invitations. */
const inTeams: Subject<InvitationScope, typeof fields> = {
  ...inOrganization,
  finder: async (context, values, addresses) => {
    const scope = await (await inOrganization.finder(context, {}, addresses))(undefined)
    const connection = await context.signedIn()
    const words = values.team ?? []
    const find = words.length > 0 ? await teamFinder(connection, scope.organizationId) : undefined
    const teamIds = words.flatMap((word) => find?.(word).id ?? [])
    return () => ({ ...scope, teamIds })
  },
}

export const invite: Flow<InvitationScope, typeof fields, OrganizationView, ListedInvitation> = {
  command: 'invitation create',
  summary: 'Invite addresses to the organization; each gets a mail',
  title: 'Invite somebody',
  subject: inTeams,
  fields,
  bulk: 'email',
  call: '/organization/invite-member',
  answer: invitationFields,
  examples: [
    'ben@example.com --role member',
    'postern invite create - --org acme --role member --json < addresses.txt',
    '--csv people.csv --org acme',
  ],
  note: () => 'A mail tells them how to accept.',
  disabledReason: (_, view) => whyNotPermitted(view, 'invitation:create'),
  initial: (_, view) => ({ roles: initialSelection(fields.roles, Object.keys(view?.roles ?? {})) }),
  options: (_, view) => ({
    roles: grantableRoles(view),
    team: (view.organization.teams ?? []).map(({ id, name }) => ({ id, label: name })),
  }),
  check: ({ roles = [] }) => ({ roles: rolesProblem(roles) }),
  // In a form, the teams are the chosen ids.
  run: async (context, scope, values) => {
    const { api } = await context.signedIn()
    const { organizationId, teamIds = values.team ?? [] } = scope
    const asked = {
      email: canonicalEmail(values.email.trim()),
      role: [...values.roles],
      organizationId,
      teamId: teamsInput(teamIds),
    }
    const resource = toListedInvitation(await api.invitation.inviteMember(asked), context.now())
    return { sentence: `Invited ${resource.email} as ${resource.roles.join(', ')}`, status: 'created', resource }
  },
  doneForSeveral: (count, { roles }) => `Invited ${count} addresses as ${roles.join(', ')}`,
}
