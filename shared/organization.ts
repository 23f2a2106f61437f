import * as z from 'zod'
import { date, picture, roleNames } from './entities.ts'
import { isBlank, maxNameLength } from './text-rules.ts'

/** A string-keyed record, or null; it may arrive as JSON text and always leaves as an object. */
export const Metadata = z.record(z.string(), z.unknown())

/** Lower-cased before it is stored. */
export const slug = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'letters, digits and -, at most 64')
/** Not blank, and short enough for one line. */
export const title = z
  .string()
  .max(maxNameLength)
  .regex(/\S/, { error: 'more than blanks', abort: true })
  .refine((name) => !isBlank(name), 'something that can be seen')
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

/** `soleMember`: the caller is its only member, so it is deleted together with their account. */
export const ListedOrganization = Organization.extend({ soleMember: z.boolean().optional() })
export type ListedOrganization = z.output<typeof ListedOrganization>

/** What identifies an organization to people. */
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

export const MemberUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  image: z.string().nullable(),
})

/** A member with the user behind it. `isMachine`: a key or a trust rule acts as it; absent for people. */
export const MemberView = Member.extend({ user: MemberUser.extend({ isMachine: z.boolean().optional() }) })
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

/** What the recipient of an invitation sees. */
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
 * `invitations`: the pending ones. `teams` is null where the service has teams turned off. `incomplete` names the lists that
 * are longer than an answer may be; the calls that list them page by page have the rest.
 */
export const FullOrganization = Organization.extend({
  invitations: z.array(Invitation),
  members: z.array(MemberView),
  teams: z.array(Team).nullable(),
  incomplete: z.array(z.enum(['invitations', 'members', 'teams'])).optional(),
})
export type FullOrganization = z.output<typeof FullOrganization>

/** An input field: the organization that is meant; the active one when absent. */
export const organizationId = z.string().optional()
/** Query fields: a page of a list, the first one when absent. Anything but a whole number above 0 counts as absent. */
export const pageFields = { limit: z.string().optional(), offset: z.string().optional() }
