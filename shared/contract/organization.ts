import * as z from 'zod'
import { roleInput } from '../entities.ts'
import {
  FullOrganization,
  ListedOrganization,
  logo,
  Member,
  Metadata,
  Organization,
  organizationId,
  pageFields,
  slug,
  title,
} from '../organization.ts'
import { ownFieldsInput } from '../own-fields.ts'
import { eitherPermissionField } from '../permissions.ts'
import { Permissions } from '../role.ts'
import { done } from './answers.ts'
import { call } from './call.ts'

/** An object, or its JSON text. */
const metadata = z.union([Metadata, z.string()])

/** `userId` is honoured for trusted servers and platform admins. */
export const create = call({
  method: 'POST',
  path: '/organization/create',
  summary: 'Create an organization; its creator becomes the owner',
  access: 'visitor',
  input: z.object({
    name: title,
    slug,
    userId: z.string().optional(),
    logo: logo.optional(),
    metadata: metadata.optional(),
    keepCurrentActiveOrganization: z.boolean().optional(),
    ...ownFieldsInput({ of: 'organization', write: 'create', by: 'admin' }),
  }),
  output: Organization.extend({ members: z.array(Member) }),
  failures: ['ORGANIZATION_CREATION_FORBIDDEN', 'ORGANIZATION_LIMIT_REACHED', 'ORGANIZATION_EXISTS', 'USER_NOT_FOUND'],
  isHooked: true,
})

export const checkSlug = call({
  method: 'POST',
  path: '/organization/check-slug',
  summary: 'Whether a slug is free',
  access: 'session',
  input: z.object({ slug }),
  output: done,
  failures: ['SLUG_TAKEN'],
  isReading: true,
  scope: 'read',
})

export const update = call({
  method: 'POST',
  path: '/organization/update',
  summary: 'Change the name, slug, logo or metadata of an organization',
  access: 'visitor',
  input: z.object({
    data: z.object({
      name: title.optional(),
      slug: slug.optional(),
      logo: logo.nullable().optional(),
      metadata: metadata.nullable().optional(),
      ...ownFieldsInput({ of: 'organization', write: 'update', by: 'admin' }),
    }),
    organizationId,
  }),
  output: Organization,
  failures: [
    'USER_NOT_FOUND_UNAUTHORIZED',
    'ORGANIZATION_NOT_FOUND',
    'NOT_A_MEMBER',
    'ORGANIZATION_UPDATE_FORBIDDEN',
    'ORGANIZATION_EXISTS',
  ],
  scope: 'organization:update',
  repeats: { organizationId: 'id' },
})

/** Not named `delete`, which is a reserved word. */
export const remove = call({
  method: 'POST',
  path: '/organization/delete',
  summary: 'Delete an organization with everything in it',
  access: 'session',
  input: z.object({ organizationId: z.string() }),
  output: Organization,
  failures: ['NOT_A_MEMBER', 'ORGANIZATION_DELETE_FORBIDDEN', 'ORGANIZATION_DELETION_OFF'],
  isHooked: true,
  repeats: { organizationId: 'id' },
})

export const list = call({
  method: 'GET',
  path: '/organization/list',
  summary: 'The organizations of the signed-in user',
  access: 'session',
  input: z.object(pageFields),
  output: z.array(ListedOrganization),
  failures: [],
  isHeavy: true,
  scope: 'read',
})

/** Null when none is named and none is active. A slug takes precedence over an id. */
export const getOrganization = call({
  method: 'GET',
  path: '/organization/get-organization',
  summary: 'An organization without its members, invitations and teams',
  access: 'session',
  input: z.object({ organizationId, organizationSlug: z.string().optional() }),
  output: Organization.nullable(),
  failures: ['NOT_A_MEMBER_FORBIDDEN'],
  scope: 'read',
})

export const getFullOrganization = call({
  method: 'GET',
  path: '/organization/get-full-organization',
  summary: 'An organization with its members, pending invitations and teams',
  access: 'session',
  input: z.object({ organizationId, organizationSlug: z.string().optional() }),
  output: FullOrganization.nullable(),
  failures: ['NOT_A_MEMBER_FORBIDDEN'],
  isHeavy: true,
  scope: 'read',
  repeats: { organizationId: 'id' },
})

export const setActive = call({
  method: 'POST',
  path: '/organization/set-active',
  summary: 'Choose the active organization of this session, or none',
  access: 'session',
  input: z.object({ organizationId: z.string().nullable().optional(), organizationSlug: z.string().optional() }),
  output: FullOrganization.nullable(),
  failures: ['NOT_A_MEMBER_FORBIDDEN'],
  isHeavy: true,
  repeats: { organizationId: 'id' },
})

/** Either `permissions` or its older name `permission`, but not both. */
export const hasPermission = call({
  method: 'POST',
  path: '/organization/has-permission',
  summary: 'Whether the signed-in member has all the given permissions',
  access: 'session',
  input: z
    .object({ organizationId, permissions: Permissions.optional(), permission: Permissions.optional() })
    .refine((asked) => (asked.permissions === undefined) !== (asked.permission === undefined), eitherPermissionField),
  output: z.object({ error: z.null(), success: z.boolean() }),
  failures: ['NO_ACTIVE_ORGANIZATION', 'NOT_A_MEMBER_UNAUTHORIZED'],
  isReading: true,
  scope: 'read',
})

/** For trusted servers. */
export const addMember = call({
  method: 'POST',
  path: '/organization/add-member',
  summary: 'Add a user as a member without an invitation',
  access: 'server',
  input: z.object({
    userId: z.string(),
    role: roleInput,
    organizationId,
    teamId: z.string().optional(),
  }),
  output: Member,
  failures: [
    'NO_ACTIVE_ORGANIZATION',
    'TEAMS_OFF',
    'ROLE_NOT_FOUND',
    'ORGANIZATION_NOT_FOUND',
    'USER_NOT_FOUND',
    'ALREADY_A_MEMBER',
    'TEAM_NOT_FOUND',
    'ORGANIZATION_LIMIT_REACHED',
    'MEMBERSHIP_LIMIT_REACHED',
    'TEAM_FULL',
  ],
  isHooked: true,
})
