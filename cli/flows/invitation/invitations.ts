import { canonicalEmail } from '../../../shared/email.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { toCliError } from '../../output/error-report.ts'
import { fullTime } from '../../output/time.ts'
import { memberLine } from '../account/users.ts'
import { type Naming, pickOne } from '../candidates.ts'
import type { FlowContext } from '../flow-context.ts'
import { workingOrganizationId } from '../org/organizations.ts'
import { type OrganizationView, teamIdsOf, teamText } from '../org/view.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

/** An invitation as its sender or its recipient sees it, with `roles` instead of the wire's `role`. */
export type ListedInvitation = Required<Omit<Invitation, 'role' | 'teamId' | 'teamIds'>> &
  OfOrganization & {
    readonly roles: readonly string[]
    /** Still pending, but too late to accept. */
    readonly expired: boolean
    readonly teamId: string | null
    readonly teamIds: readonly string[]
  }

/** Fields that the sender's list does not have. */
type OfOrganization = { readonly [Field in Exclude<keyof InvitationView, keyof Invitation>]: string | null }

export const invitationFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  email: { title: 'Email', type: 'text', readFirst: true },
  roles: { title: 'Roles', type: 'list' },
  status: { title: 'Status', type: 'text', value: ({ expired, status }) => (expired ? 'expired' : status) },
  expired: { title: 'Expired', type: 'flag' },
  createdAt: { title: 'Invited', type: 'date?' },
  // Only pending invitations expire.
  expiresAt: {
    title: 'Expires',
    type: 'date',
    inList: ({ status, expiresAt }) => (status === 'pending' ? expiresAt : '-'),
    inDetail: ({ status, expiresAt }, _, now) => (status === 'pending' ? fullTime(expiresAt, now) : undefined),
  },
  organizationId: { title: 'Organization, id', type: 'text' },
  organizationName: { title: 'Organization', type: 'text?' },
  organizationSlug: { title: 'Organization, slug', type: 'text?' },
  teamId: { title: 'First team', type: 'text?' },
  teamIds: {
    title: 'Teams',
    type: 'list',
    inDetail: ({ teamIds }, view) => (view.organization.teams ? (teamText(teamIds, view) ?? 'none') : undefined),
  },
  inviterId: {
    title: 'Invited by',
    type: 'text',
    inDetail: ({ inviterId }, { organization: { members } }) => {
      const inviter = members.find(({ userId }) => userId === inviterId)
      return inviter ? memberLine(inviter.user) : 'somebody who has left'
    },
  },
  inviterEmail: { title: 'From', type: 'text?' },
} as const satisfies FieldsOf<ListedInvitation, ListedInvitation, OrganizationView>

const columns = (...names: readonly (keyof ListedInvitation)[]) => columnsOf<ListedInvitation>(invitationFields, names)

export const sentColumns = columns('email', 'roles', 'status', 'expiresAt', 'id')
export const receivedColumns = columns('organizationName', 'roles', 'inviterEmail', 'expiresAt', 'id')
export const invitationSheet = columns(
  'id',
  'email',
  'organizationName',
  'roles',
  'status',
  'inviterEmail',
  'expiresAt',
  'teamIds',
)

export const toListedInvitation = (invitation: Invitation | InvitationView, now: number): ListedInvitation => ({
  id: invitation.id,
  email: invitation.email,
  roles: invitation.role,
  status: invitation.status,
  expired: invitation.status === 'pending' && invitation.expiresAt.getTime() <= now,
  createdAt: invitation.createdAt,
  expiresAt: invitation.expiresAt,
  organizationId: invitation.organizationId,
  organizationName: 'organizationName' in invitation ? invitation.organizationName : null,
  organizationSlug: 'organizationSlug' in invitation ? invitation.organizationSlug : null,
  teamId: invitation.teamId ?? null,
  teamIds: teamIdsOf(invitation),
  inviterId: invitation.inviterId,
  inviterEmail: 'inviterEmail' in invitation ? invitation.inviterEmail : null,
})

const describe = ({ id, email, organizationName }: Partial<InvitationView> & Invitation): string =>
  [id, organizationName ?? email].join('  ')

/** If there are several for one address, the pending one is meant. */
const sent: Naming<Invitation> = {
  kind: 'invitation',
  ids: ({ id }) => [id],
  ways: [
    (invitation, word) => invitation.email === canonicalEmail(word) && invitation.status === 'pending',
    (invitation, word) => invitation.email === canonicalEmail(word),
  ],
  describe,
  list: 'See them: postern invitation list',
}

const received: Naming<InvitationView> = {
  kind: 'invitation',
  ids: ({ id }) => [id],
  ways: [
    ({ organizationSlug }, word) => organizationSlug === word.toLowerCase(),
    ({ organizationName }, word) => organizationName === word,
  ],
  describe,
  list: 'See your invitations: postern invitation list --mine',
}

/** Slugs of the organizations that have invited the signed-in user. */
export async function invitingSlugs(context: FlowContext): Promise<readonly string[]> {
  const { api } = await context.signedIn()
  return (await api.invitation.listUserInvitations()).map(({ organizationSlug }) => organizationSlug)
}

/** Whether the service hides invitations because the address is not verified. Others are refused for other reasons. */
export const needsVerification = (code: string): boolean => code.startsWith('EMAIL_VERIFICATION_REQUIRED')

export const invitationId = /^[A-Za-z0-9]{32}$/

/** Finds one of the organization's invitations, by id or recipient. */
export const pickSent = (invitations: readonly Invitation[], word: string): Invitation =>
  pickOne(invitations, word, sent)

/** Finds an invitation to the signed-in user, by id or organization. */
export const pickReceived = (invitations: readonly InvitationView[], word: string): InvitationView =>
  pickOne(invitations, word, received)

/**
 * An invitation that is in no list could still exist: the service is asked for this id, and its refusal gives the
 * reason.
 */
export function orById<T extends Pick<Invitation, 'id'>>(pick: () => T, id: string): T | Pick<Invitation, 'id'> {
  try {
    return pick()
  } catch (error) {
    if (toCliError(error).exitCode !== exitCodes.notFound) throw error
    return { id }
  }
}

/** All invitations of the organization, whatever their status. */
export async function sentInvitations(context: FlowContext): Promise<readonly Invitation[]> {
  const { api } = await context.signedIn()
  const organizationId = await workingOrganizationId(context)
  return api.invitation.listInvitations({ organizationId, status: 'all' })
}

/** The recipients of pending invitations. */
export const pendingAddresses = async (context: FlowContext): Promise<readonly string[]> =>
  (await sentInvitations(context)).filter(({ status }) => status === 'pending').map(({ email }) => email)
