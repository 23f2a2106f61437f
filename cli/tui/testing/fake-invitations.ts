import type { ApiAnswer } from '../../client/client.ts'
import { good, refuse } from './answers.ts'
import { type Body, memberAnswer, newId } from './fake-organization.ts'
import type { FakeInvitation, FakeOrganization, FakeSession, FakeWorld } from './fake-world.ts'

export const invitationView = (_: FakeWorld, { id, name, slug }: FakeOrganization, invitation: FakeInvitation) => ({
  id: invitation.id,
  organizationId: id,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  teamId: invitation.teamId,
  inviterId: `u-${invitation.inviter}`,
  expiresAt: new Date(Date.now() + 2 * 86_400_000 + 5000).toISOString(),
  organizationName: name,
  organizationSlug: slug,
  inviterEmail: invitation.inviter,
})

/** Invites somebody without a person at the keys. */
export function addInvitation(organization: FakeOrganization, email: string, inviter: string): FakeInvitation {
  const made = { id: newId('i'), email, role: 'member', status: 'pending', teamId: null, inviter, mailed: 1 }
  organization.invitations.push(made)
  return made
}

/** The calls around invitations; undefined for any other. */
export function answerInvitation(
  world: FakeWorld,
  path: string,
  body: Body,
  session: FakeSession,
): ApiAnswer | undefined {
  if (path === 'list-user-invitations') return listMine(world, session)
  if (path === 'invite-member') return invite(world, body, session)
  const found = world.organizations
    .flatMap((organization) => organization.invitations.map((invitation) => ({ organization, invitation })))
    .find(({ invitation }) => invitation.id === body['invitationId'])
  if (!found) return undefined
  const { organization, invitation } = found
  if (path === 'accept-invitation') return accept(world, organization, invitation)
  invitation.status = path === 'cancel-invitation' ? 'canceled' : 'rejected'
  const view = invitationView(world, organization, invitation)
  return good(path === 'cancel-invitation' ? view : { invitation: view, member: null })
}

const verification = 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION'

function listMine(world: FakeWorld, { email }: FakeSession): ApiAnswer {
  if (world.invitesVerified && !world.people.get(email)?.isVerified)
    return refuse(403, verification, 'Email verification required before accepting or rejecting invitation')
  const mine = world.organizations.flatMap((organization) =>
    organization.invitations
      .filter((one) => one.email === email && one.status === 'pending')
      .map((one) => invitationView(world, organization, one)),
  )
  return good(mine)
}

function invite(world: FakeWorld, { email = '', role = '', ...body }: Body, session: FakeSession): ApiAnswer {
  const organization = world.organizations.find(({ id }) => id === body['organizationId'])
  if (!organization) return refuse(400, 'ORGANIZATION_NOT_FOUND', 'Organization not found')
  const before = organization.invitations.find((one) => one.email === email && one.status === 'pending')
  if (before && !body['resend'])
    return refuse(400, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', 'User is already invited to this organization')
  const invitation = before ?? addInvitation(organization, email, session.email)
  if (before) before.mailed += 1
  Object.assign(invitation, { role: [role].flat().join(','), teamId: body['teamId'] ?? null })
  return good(invitationView(world, organization, invitation))
}

function accept(world: FakeWorld, organization: FakeOrganization, invitation: FakeInvitation): ApiAnswer {
  invitation.status = 'accepted'
  const member = { id: newId('m'), email: invitation.email, role: invitation.role, teamId: invitation.teamId }
  organization.members.push(member)
  return good({
    invitation: invitationView(world, organization, invitation),
    member: memberAnswer(world, organization, member),
  })
}
