import { newSlug } from './organizations.ts'
import type { Json, Visitor } from './visitor.ts'

export const people = ['ann', 'ben', 'cara', 'dan'] as const
export type Who = (typeof people)[number]
export const emailOf = (person: Who): string => `${person}@example.com`

export const roles = ['owner', 'admin', 'member'] as const
type Role = (typeof roles)[number]

export interface Organization {
  readonly id: string
  readonly members: Map<Who, { readonly memberId: string; readonly role: Role }>
}

interface Invitation {
  readonly id: string
  readonly organization: Organization
  readonly from: Who
  readonly to: Who
  readonly role: Role
  status: 'pending' | 'accepted' | 'rejected' | 'canceled'
}

export interface Session {
  readonly visitor: Visitor
  readonly token: string
  readonly person: Who
  isLive: boolean
  active: Organization | undefined
}

/** All that a naive reader of the contract keeps in mind. */
export interface World {
  readonly userIds: ReadonlyMap<Who, string>
  readonly banned: Set<Who>
  readonly sessions: Session[]
  readonly organizations: Organization[]
  readonly invitations: Invitation[]
}

/** What a step is about: whose session acts, and on what. */
export interface Chosen {
  readonly session: Session
  readonly other: Session
  readonly organization: Organization | undefined
  readonly invitation: Invitation | undefined
  readonly person: Who
  readonly role: Role
}

/** A request, what the rules refuse it with, and what it changes where they do not. */
interface Act {
  /** By a platform administrator, who has a session of their own. */
  readonly isOfAdmin?: true
  readonly path: string
  readonly body?: object
  readonly refusal?: string | undefined
  readonly change: (answer: Json) => void
}

const manages = (role: Role | undefined) => role === 'owner' || role === 'admin'
const grants = (own: Role | undefined, role: Role) => manages(own) && (own === 'owner' || role !== 'owner')
/** Whether nobody else could still act as an owner. */
const isLastOwner = ({ banned }: World, { members }: Organization, person: Who) =>
  members.get(person)?.role === 'owner' &&
  ![...members].some(([other, { role }]) => other !== person && role === 'owner' && !banned.has(other))
const roleIn = ({ members }: Organization, person: Who) => members.get(person)?.role

function endSessions(world: World, isEnded: (session: Session) => boolean): void {
  for (const session of world.sessions.filter(isEnded)) session.isLive = false
}

/** The first of the rules that is broken. */
const firstOf = (rules: readonly (readonly [isBroken: boolean, refusal: string])[]): string | undefined =>
  rules.find(([isBroken]) => isBroken)?.[1]

function endMembership(world: World, organization: Organization, person: Who): void {
  organization.members.delete(person)
  for (const session of world.sessions)
    if (session.person === person && session.active === organization) session.active = undefined
}

const onOrganization =
  (act: (world: World, chosen: Chosen, organization: Organization) => Act) =>
  (world: World, chosen: Chosen): Act | undefined =>
    chosen.organization && act(world, chosen, chosen.organization)

const onInvitation =
  (act: (world: World, chosen: Chosen, invitation: Invitation) => Act) =>
  (world: World, chosen: Chosen): Act | undefined =>
    chosen.invitation && act(world, chosen, chosen.invitation)

export const acts: Record<string, (world: World, chosen: Chosen) => Act | undefined> = {
  'create an organization': (world, { session }) => ({
    path: '/organization/create',
    body: { name: 'Acme', slug: newSlug() },
    change: ({ id, members: [{ id: memberId }] }) => {
      const organization: Organization = { id, members: new Map([[session.person, { memberId, role: 'owner' }]]) }
      world.organizations.push(organization)
      session.active = organization
    },
  }),

  'delete an organization': onOrganization((world, { session }, organization) => ({
    path: '/organization/delete',
    body: { organizationId: organization.id },
    refusal: firstOf([
      [!roleIn(organization, session.person), '400 User is not a member of the organization'],
      [roleIn(organization, session.person) !== 'owner', '403 You are not allowed to delete this organization'],
    ]),
    change: () => {
      for (const person of people) endMembership(world, organization, person)
      for (const invitation of world.invitations)
        if (invitation.organization === organization) invitation.status = 'canceled'
    },
  })),

  'set the active organization': onOrganization((_, { session }, organization) => ({
    path: '/organization/set-active',
    body: { organizationId: organization.id },
    refusal: firstOf([[!roleIn(organization, session.person), '403 User is not a member of the organization']]),
    change: () => {
      session.active = organization
    },
  })),

  'clear the active organization': (_, { session }) => ({
    path: '/organization/set-active',
    body: { organizationId: null },
    change: () => {
      session.active = undefined
    },
  }),

  invite: onOrganization((world, { session: { person: from }, person: to, role }, organization) => ({
    path: '/organization/invite-member',
    body: { email: emailOf(to), role, organizationId: organization.id },
    refusal: firstOf([
      [!roleIn(organization, from), '400 Member not found'],
      [!manages(roleIn(organization, from)), '403 You are not allowed to invite users to this organization'],
      [!grants(roleIn(organization, from), role), '403 you are not allowed to invite user with this role'],
      [organization.members.has(to), '400 User is already a member of this organization'],
      [
        world.invitations.some((one) => one.organization === organization && one.to === to && one.status === 'pending'),
        '400 User is already invited to this organization',
      ],
    ]),
    change: ({ id }) => void world.invitations.push({ id, organization, from, to, role, status: 'pending' }),
  })),

  accept: onInvitation((world, { session }, invitation) => ({
    path: '/organization/accept-invitation',
    body: { invitationId: invitation.id },
    refusal: firstOf([
      [invitation.status !== 'pending', '400 Invitation not found'],
      [invitation.to !== session.person, '403 You are not the recipient of the invitation'],
      [
        world.banned.has(invitation.from) || !roleIn(invitation.organization, invitation.from),
        '400 Inviter is no longer a member of the organization',
      ],
      [
        !grants(roleIn(invitation.organization, invitation.from), invitation.role),
        '400 Inviter can no longer invite with this role',
      ],
    ]),
    change: ({ member }) => {
      const { organization, role, to } = invitation
      organization.members.set(to, { memberId: member.id, role })
      invitation.status = 'accepted'
      session.active = organization
    },
  })),

  reject: onInvitation((_, { session }, invitation) => ({
    path: '/organization/reject-invitation',
    body: { invitationId: invitation.id },
    refusal: firstOf([
      [invitation.status !== 'pending', '400 Invitation not found!'],
      [invitation.to !== session.person, '403 You are not the recipient of the invitation'],
    ]),
    change: () => {
      invitation.status = 'rejected'
    },
  })),

  'cancel an invitation': onInvitation((_, { session }, invitation) => ({
    path: '/organization/cancel-invitation',
    body: { invitationId: invitation.id },
    refusal: firstOf([
      [!roleIn(invitation.organization, session.person), '400 Invitation not found'],
      [!manages(roleIn(invitation.organization, session.person)), '403 You are not allowed to cancel this invitation'],
    ]),
    change: () => {
      invitation.status = 'canceled'
    },
  })),

  'change a role': onOrganization((world, { session, person, role }, organization) => {
    const [own, theirs] = [roleIn(organization, session.person), roleIn(organization, person)]
    const memberId = organization.members.get(person)?.memberId ?? 'nobody'
    return {
      path: '/organization/update-member-role',
      body: { memberId, role, organizationId: organization.id },
      refusal: firstOf([
        [!own || !theirs, '400 Member not found'],
        [
          !grants(own, role) || (own !== 'owner' && theirs === 'owner'),
          '403 You are not allowed to update this member',
        ],
        [
          role !== 'owner' && isLastOwner(world, organization, person),
          '400 You cannot leave the organization as the only owner',
        ],
      ]),
      change: () => void organization.members.set(person, { memberId, role }),
    }
  }),

  'remove a member': onOrganization((world, { session, person }, organization) => {
    const [own, theirs] = [roleIn(organization, session.person), roleIn(organization, person)]
    return {
      path: '/organization/remove-member',
      body: { memberIdOrEmail: emailOf(person), organizationId: organization.id },
      refusal: firstOf([
        [!own || !theirs, '400 Member not found'],
        [
          (theirs === 'owner' && own !== 'owner') || isLastOwner(world, organization, person),
          '400 You cannot leave the organization as the only owner',
        ],
        [!manages(own), '401 You are not allowed to delete this member'],
      ]),
      change: () => endMembership(world, organization, person),
    }
  }),

  leave: onOrganization((world, { session: { person } }, organization) => ({
    path: '/organization/leave',
    body: { organizationId: organization.id },
    refusal: firstOf([
      [!roleIn(organization, person), '400 Member not found'],
      [isLastOwner(world, organization, person), '400 You cannot leave the organization as the only owner'],
    ]),
    change: () => endMembership(world, organization, person),
  })),

  'sign out': (_, { session }) => ({
    path: '/sign-out',
    change: () => {
      session.isLive = false
    },
  }),

  'revoke a session': (_, { session, other }) => ({
    path: '/revoke-session',
    body: { token: other.token },
    refusal: firstOf([
      [!other.isLive, '400 Session not found'],
      [other.person !== session.person, '401'],
    ]),
    change: () => {
      other.isLive = false
    },
  }),

  'revoke other sessions': (world, { session }) => ({
    path: '/revoke-other-sessions',
    change: () => endSessions(world, (one) => one.person === session.person && one !== session),
  }),

  'revoke all sessions': (world, { session }) => ({
    path: '/revoke-sessions',
    change: () => endSessions(world, (one) => one.person === session.person),
  }),

  'end the sessions of a user': (world, { person }) => ({
    isOfAdmin: true,
    path: '/admin/revoke-user-sessions',
    body: { userId: world.userIds.get(person) },
    change: () => endSessions(world, (one) => one.person === person),
  }),

  'ban a user': (world, { person }) => ({
    isOfAdmin: true,
    path: '/admin/ban-user',
    body: { userId: world.userIds.get(person) },
    change: () => {
      world.banned.add(person)
      endSessions(world, (one) => one.person === person)
    },
  }),

  'let a user in again': (world, { person }) => ({
    isOfAdmin: true,
    path: '/admin/unban-user',
    body: { userId: world.userIds.get(person) },
    change: () => void world.banned.delete(person),
  }),
}
