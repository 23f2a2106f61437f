import type { FullUser, SessionView } from '../../../shared/entities.ts'
import type { MachineKey, TrustRule } from '../../../shared/machine-key.ts'
import type { Invitation, MemberView } from '../../../shared/organization.ts'
import type { ListedMail } from '../../../shared/support.ts'
import type { Webhook } from '../../../shared/webhook.ts'
import type { LinkedAccount } from '../../flows/link/accounts.ts'
import type { OrganizationView } from '../../flows/org/view.ts'
import type { ListedSession } from '../../flows/session/sessions.ts'

/** A sample of each item, named by the placeholder that commands show for a real one. */
const at = new Date(0)
const later = new Date(8_640_000_000_000_000)

export const user: FullUser = {
  id: 'USER',
  email: 'USER',
  name: 'NAME',
  image: null,
  emailVerified: false,
  language: null,
  createdAt: at,
  updatedAt: at,
  role: ['ROLE'],
  banned: null,
  banReason: null,
  banExpires: null,
  fields: {},
}
export const bannedUser: FullUser = { ...user, id: 'BANNED', banned: true }

export const mail: ListedMail = {
  id: 'MAIL',
  kind: 'reset-password',
  to: user.email,
  userId: user.id,
  state: 'waiting',
  attempts: 0,
  lastError: null,
  createdAt: at,
  nextAttemptAt: at,
}

export const session: ListedSession = {
  id: 'SESSION',
  userId: user.id,
  expiresAt: later,
  createdAt: at,
  updatedAt: at,
  ipAddress: null,
  userAgent: null,
  label: null,
  activeOrganizationId: null,
  activeTeamId: null,
  impersonatedBy: null,
  addressProven: null,
  current: false,
}
export const me: SessionView = { user, session: { ...session, token: '' } }

const inOrganization = { organizationId: 'ORG', createdAt: at }
export const team = { ...inOrganization, id: 'TEAM', name: 'TEAM', updatedAt: null }
const member: MemberView = {
  ...inOrganization,
  id: 'MEMBER',
  userId: user.id,
  role: ['ROLE'],
  teamId: team.id,
  teamIds: [team.id],
  user: { id: user.id, name: user.name, email: user.email, image: null },
}
const owner: MemberView = { ...member, id: 'OWNER', userId: 'OWNER', role: ['ROLE'], teamId: null, teamIds: [] }
const invitation: Invitation = {
  ...inOrganization,
  id: 'INVITATION',
  email: 'EMAIL',
  role: ['member'],
  status: 'pending',
  inviterId: owner.userId,
  expiresAt: later,
}

export const organization: OrganizationView = {
  organization: {
    id: 'ORG',
    name: 'ORG',
    slug: 'ORG',
    logo: null,
    metadata: null,
    createdAt: at,
    fields: {},
    members: [member, owner],
    invitations: [invitation],
    teams: [team],
  },
  roles: { ROLE: { organization: ['update'] } },
  ownerRoles: [],
  self: owner,
}

const machine = { name: 'NAME', userId: 'MACHINE', createdBy: owner.userId, createdAt: at, lastUsedAt: null }
const sponsor = { sponsorId: owner.userId, sponsorName: null, authority: null }
export const key: MachineKey = {
  ...machine,
  ...sponsor,
  id: 'KEY',
  organizationId: 'ORG',
  role: ['member'],
  scopes: null,
  ipRanges: [],
  rotatesItself: null,
  hint: '',
  overlapEndsAt: null,
  expiresAt: later,
  lastUsedIp: null,
}

export const trust: TrustRule = {
  ...machine,
  ...sponsor,
  id: 'RULE',
  organizationId: 'ORG',
  issuer: 'ISSUER',
  audience: 'AUDIENCE',
  claims: {},
  role: ['member'],
  rotates: null,
  expiresIn: 0,
}

export const webhook: Webhook = {
  id: 'WEBHOOK',
  organizationId: 'ORG',
  url: 'URL',
  events: null,
  paused: false,
  cursor: 'CURSOR',
  createdBy: owner.userId,
  createdAt: at,
  updatedAt: at,
  deliveredAt: null,
  failingSince: null,
  attempts: 0,
  nextAttemptAt: null,
  lastError: null,
  parkedAt: null,
  overlapEndsAt: null,
}
export const pausedWebhook: Webhook = { ...webhook, paused: true }

export const link: LinkedAccount = {
  id: 'ACCOUNT',
  accountId: 'ACCOUNT',
  provider: 'PROVIDER',
  scopes: [],
  createdAt: at,
  updatedAt: at,
}
