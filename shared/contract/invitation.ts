import * as z from 'zod'
import { roleInput } from '../entities.ts'
import { Invitation, InvitationView, invitationStatuses, Member, organizationId, pageFields } from '../organization.ts'
import { call } from './call.ts'

const invitationId = z.string()

/** One team or several. */
const teamsInput = z.codec(z.union([z.string(), z.array(z.string()).max(100)]), z.array(z.string()), {
  decode: (given) => [...new Set([given].flat())],
  encode: (teams) => [...teams],
})

/** `resend` refreshes a pending invitation and mails it again. */
export const inviteMember = call({
  method: 'POST',
  path: '/organization/invite-member',
  summary: 'Invite an address to an organization',
  access: 'session',
  input: z.object({
    email: z.string(),
    role: roleInput,
    organizationId,
    resend: z.boolean().optional(),
    teamId: teamsInput.optional(),
  }),
  output: Invitation,
  failures: [
    'INVALID_EMAIL',
    'ROLE_NOT_FOUND',
    'ORGANIZATION_NOT_FOUND',
    'MEMBER_NOT_FOUND',
    'INVITATION_CREATE_FORBIDDEN',
    'INVITATION_ROLE_FORBIDDEN',
    'ALREADY_A_MEMBER',
    'ALREADY_INVITED',
    'TEAM_NOT_FOUND',
    'INVITATION_LIMIT_REACHED',
    'TEAM_FULL',
  ],
  scope: 'invitation:create',
  repeats: { email: 'email' },
})

export const acceptInvitation = call({
  method: 'POST',
  path: '/organization/accept-invitation',
  summary: 'Accept an invitation to the address of the signed-in user',
  access: 'session',
  input: z.object({ invitationId }),
  output: z.object({ invitation: Invitation, member: Member }),
  failures: [
    'INVITATION_NOT_FOUND',
    'NOT_THE_RECIPIENT',
    'EMAIL_VERIFICATION_REQUIRED',
    'INVITER_NOT_A_MEMBER',
    'INVITER_CANNOT_GRANT',
    'INVITATION_NOT_RETRIEVED',
    'ALREADY_A_MEMBER',
    'ORGANIZATION_LIMIT_REACHED',
    'MEMBERSHIP_LIMIT_REACHED',
    'TEAM_FULL',
  ],
  isHooked: true,
  repeats: { invitationId: 'invitation.id' },
})

export const rejectInvitation = call({
  method: 'POST',
  path: '/organization/reject-invitation',
  summary: 'Reject an invitation to the address of the signed-in user',
  access: 'session',
  input: z.object({ invitationId }),
  output: z.object({ invitation: Invitation, member: z.null() }),
  failures: ['INVITATION_NOT_FOUND_FOR_RECIPIENT', 'NOT_THE_RECIPIENT', 'EMAIL_VERIFICATION_REQUIRED'],
  repeats: { invitationId: 'invitation.id' },
})

export const cancelInvitation = call({
  method: 'POST',
  path: '/organization/cancel-invitation',
  summary: 'Cancel an invitation',
  access: 'session',
  input: z.object({ invitationId }),
  output: Invitation,
  failures: ['INVITATION_NOT_FOUND', 'INVITATION_CANCEL_FORBIDDEN'],
  scope: 'invitation:cancel',
  repeats: { invitationId: 'id' },
})

export const getInvitation = call({
  method: 'GET',
  path: '/organization/get-invitation',
  summary: 'An invitation to the address of the signed-in user',
  access: 'visitor',
  input: z.object({ id: z.string() }),
  output: InvitationView,
  failures: [
    'NOT_AUTHENTICATED',
    'INVITATION_NOT_FOUND_FOR_RECIPIENT',
    'NOT_THE_RECIPIENT',
    'EMAIL_VERIFICATION_REQUIRED',
    'INVITER_NOT_A_MEMBER',
  ],
  repeats: { id: 'id' },
})

/**
 * Those that can still be accepted come first. Without a `status`: pending ones, including expired ones. `all`: every
 * invitation.
 */
export const listInvitations = call({
  method: 'GET',
  path: '/organization/list-invitations',
  summary: 'The invitations of an organization, a page at a time',
  access: 'session',
  input: z.object({ organizationId, status: z.enum([...invitationStatuses, 'all']).optional(), ...pageFields }),
  output: z.array(Invitation),
  failures: ['ORGANIZATION_ID_REQUIRED', 'NOT_YOUR_ORGANIZATION'],
  isHeavy: true,
  scope: 'read',
})

export const listUserInvitations = call({
  method: 'GET',
  path: '/organization/list-user-invitations',
  summary: 'The pending invitations to the address of the signed-in user',
  access: 'session',
  input: z.object(pageFields),
  output: z.array(InvitationView),
  failures: ['EMAIL_VERIFICATION_REQUIRED'],
  isHeavy: true,
})
