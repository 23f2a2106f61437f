import { canonicalEmail } from '../../../shared/email.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import type { Column } from '../../output/cell.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FieldType } from '../../output/json.ts'
import { type Naming, pickOne } from '../candidates.ts'
import type { Ports } from '../ports.ts'

/** An invitation as its sender or its recipient sees it; its roles by that name. */
export type ListedInvitation = Required<Omit<Invitation, 'role' | 'teamId'>> &
  OfOrganization & {
    readonly roles: readonly string[]
    /** Pending, and too late to accept. */
    readonly expired: boolean
    readonly teamId: string | null
  }

/** What the sender's list leaves out. */
type OfOrganization = { readonly [Field in Exclude<keyof InvitationView, keyof Invitation>]: string | null }

export const invitationFields = {
  id: 'text',
  email: 'text',
  roles: 'list',
  status: 'text',
  expired: 'flag',
  expiresAt: 'date',
  organizationId: 'text',
  organizationName: 'text?',
  organizationSlug: 'text?',
  teamId: 'text?',
  inviterId: 'text',
  inviterEmail: 'text?',
} satisfies Record<keyof ListedInvitation, FieldType>

type Shown = Column<ListedInvitation>
const id: Shown = { header: 'ID', value: (invitation) => invitation.id, id: 'argument' }
const email: Shown = { header: 'Email', value: (invitation) => invitation.email }
const organization: Shown = { header: 'Organization', value: (invitation) => invitation.organizationName }
const roles: Shown = { header: 'Roles', value: (invitation) => invitation.roles }
const status: Shown = { header: 'Status', value: ({ expired, status }) => (expired ? 'expired' : status) }
const from: Shown = { header: 'From', value: (invitation) => invitation.inviterEmail }
const expires: Shown = { header: 'Expires', value: ({ expiresAt }) => expiresAt }

export const sentColumns = [email, roles, status, expires, id]
export const receivedColumns = [organization, roles, from, expires, id]
export const invitationSheet: readonly Shown[] = [
  id,
  email,
  organization,
  roles,
  status,
  from,
  expires,
  { header: 'Team', value: ({ teamId }) => teamId },
]

export const listedInvitation = (invitation: Invitation | InvitationView, now: number): ListedInvitation => ({
  id: invitation.id,
  email: invitation.email,
  roles: invitation.role,
  status: invitation.status,
  expired: invitation.status === 'pending' && invitation.expiresAt.getTime() <= now,
  expiresAt: invitation.expiresAt,
  organizationId: invitation.organizationId,
  organizationName: 'organizationName' in invitation ? invitation.organizationName : null,
  organizationSlug: 'organizationSlug' in invitation ? invitation.organizationSlug : null,
  teamId: invitation.teamId ?? null,
  inviterId: invitation.inviterId,
  inviterEmail: 'inviterEmail' in invitation ? invitation.inviterEmail : null,
})

const describe = ({ id, email, organizationName }: Partial<InvitationView> & Invitation): string =>
  [id, organizationName ?? email].join('  ')

/** Of several to one address the pending one is meant. */
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
  list: 'See those to you: postern invitation list --mine',
}

/** The organizations that invite the signed-in user. */
export async function invitingSlugs(ports: Ports): Promise<readonly string[]> {
  const { api } = await ports.signedIn()
  return (await api.invitation.listUserInvitations()).map(({ organizationSlug }) => organizationSlug)
}

export const invitationId = /^[A-Za-z0-9]{32}$/

/** One of the organization's, by id or by the address it was sent to. */
export const pickSent = (invitations: readonly Invitation[], word: string): Invitation =>
  pickOne(invitations, word, sent)

/** One to the signed-in user, by id or by the organization. */
export const pickReceived = (invitations: readonly InvitationView[], word: string): InvitationView =>
  pickOne(invitations, word, received)

/** What is in no list here may be there all the same: the service is asked for that id, and its refusal says why not. */
export function orById<T extends Pick<Invitation, 'id'>>(pick: () => T, id: string): T | Pick<Invitation, 'id'> {
  try {
    return pick()
  } catch (error) {
    if (toCliError(error).exitCode !== exitCodes.notFound) throw error
    return { id }
  }
}
