import * as z from 'zod'
import { roleNames } from './contract/role-names.ts'
import { date, picture } from './entities.ts'

/** A string-keyed record, or null; it may arrive as JSON text and always leaves as an object (decisions). */
export const Metadata = z.record(z.string(), z.unknown())

/** Lower-cased before it is stored. */
export const slug = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'letters, digits and -, at most 64')
/** Something to be seen, short enough for one line. */
export const title = z.string().max(200).regex(/\S/, 'not only blanks')
export const logo = picture

export const Organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  metadata: Metadata.nullable(),
  createdAt: date,
})
export type Organization = z.output<typeof Organization>

/** `soleMember`: nobody but who asks is in it, so it goes along when their account is deleted. */
export const ListedOrganization = Organization.extend({ soleMember: z.boolean().optional() })
export type ListedOrganization = z.output<typeof ListedOrganization>

/** An organization by what people call it. */
export const OrganizationName = Organization.pick({ id: true, name: true, slug: true })
export type OrganizationName = z.output<typeof OrganizationName>

/** Absent when the service has no teams. */
const teamId = z.string().nullable().optional()

export const Member = z.object({
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  role: roleNames,
  teamId,
  createdAt: date,
})
export type Member = z.output<typeof Member>

const MemberUser = z.object({ id: z.string(), name: z.string(), email: z.string(), image: z.string().nullable() })

/** A member with who it is. */
export const MemberView = Member.extend({ user: MemberUser })
export type MemberView = z.output<typeof MemberView>

export const invitationStatuses = ['pending', 'accepted', 'rejected', 'canceled'] as const

export const Invitation = z.object({
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role: roleNames,
  status: z.enum(invitationStatuses),
  teamId,
  inviterId: z.string(),
  expiresAt: date,
})
export type Invitation = z.output<typeof Invitation>

/** What its recipient sees of it. */
export const InvitationView = Invitation.extend({
  organizationName: z.string(),
  organizationSlug: z.string(),
  inviterEmail: z.string(),
})
export type InvitationView = z.output<typeof InvitationView>

export const Team = z.object({
  id: z.string(),
  name: z.string(),
  organizationId: z.string(),
  createdAt: date,
  updatedAt: date.nullable(),
})
export type Team = z.output<typeof Team>

/**
 * `invitations`: the pending ones. `teams` is null where a service has none. `incomplete` names what is longer than an
 * answer may be; the calls that list it go on.
 */
export const FullOrganization = Organization.extend({
  invitations: z.array(Invitation),
  members: z.array(MemberView),
  teams: z.array(Team).nullable(),
  incomplete: z.array(z.enum(['invitations', 'members', 'teams'])).optional(),
})
export type FullOrganization = z.output<typeof FullOrganization>

/** Of a call's input: the organization that is meant; the active one when absent. */
export const organizationId = z.string().optional()
/** Of a call's query: a page of a list; its first when absent. What is no whole number above 0 counts as absent. */
export const page = { limit: z.string().optional(), offset: z.string().optional() }
