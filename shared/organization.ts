import * as z from 'zod'
import { date, picture, roleNames } from './entities.ts'
import { ownFields } from './own-fields.ts'
import { isBlank, maxNameLength } from './text-rules.ts'

/** A string-keyed record. It may arrive as JSON text and is always returned as an object. */
export const Metadata = z.record(z.string(), z.unknown())

/** Stored in lower case. */
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
  ...ownFields('organization'),
})
export type Organization = z.output<typeof Organization>

/** `soleMember`: the caller is the only member, so the organization is deleted together with their account. */
export const ListedOrganization = Organization.extend({ soleMember: z.boolean().optional() })
export type ListedOrganization = z.output<typeof ListedOrganization>

/** The fields by which people identify an organization. */
export const OrganizationName = Organization.pick({ id: true, name: true, slug: true })
export type OrganizationName = z.output<typeof OrganizationName>

/** `teamId`: the first of `teamIds`. Both are absent when the service has no teams. */
export const inTeams = { teamId: z.string().nullable().optional(), teamIds: z.array(z.string()).optional() }

export const Member = z.object({
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  role: roleNames,
  ...inTeams,
  createdAt: date,
})
export type Member = z.output<typeof Member>

export const MemberUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  image: z.string().nullable(),
})

/** A member with their user. `isMachine`: a key or a trust rule acts as this member; absent for people. */
export const MemberView = Member.extend({ user: MemberUser.extend({ isMachine: z.boolean().optional() }) })
export type MemberView = z.output<typeof MemberView>

export const invitationStatuses = ['pending', 'accepted', 'rejected', 'canceled'] as const

export const Invitation = z.object({
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role: roleNames,
  status: z.enum(invitationStatuses),
  ...inTeams,
  inviterId: z.string(),
  /** Null from services that do not report it. */
  createdAt: date.nullable(),
  expiresAt: date,
})
export type Invitation = z.output<typeof Invitation>

/** An invitation as its recipient sees it. */
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

/** A team in a list. `memberCount`: absent from services that do not report it. */
export const ListedTeam = Team.extend({ memberCount: z.number().optional() })
export type ListedTeam = z.output<typeof ListedTeam>

/**
 * `invitations`: the pending ones. `teams` is null when the service has teams turned off. `incomplete` names the lists
 * that exceed the maximum of one answer; the calls that list them page by page have the rest.
 */
export const FullOrganization = Organization.extend({
  invitations: z.array(Invitation),
  members: z.array(MemberView),
  teams: z.array(ListedTeam).nullable(),
  incomplete: z.array(z.enum(['invitations', 'members', 'teams'])).optional(),
})
export type FullOrganization = z.output<typeof FullOrganization>

/** An input field: the organization, or the active one when absent. */
export const organizationId = z.string().optional()
/** Query fields for a page of a list, by default the first. Anything but a positive whole number counts as absent. */
export const pageFields = { limit: z.string().optional(), offset: z.string().optional() }
