import * as z from 'zod'
import { roleInput, roleNames } from '../entities.ts'
import { Member, MemberView, organizationId, pageFields } from '../organization.ts'
import { call } from './call.ts'

/** The fields by which list-members sorts and filters. */
const listedFields = ['id', 'userId', 'role', 'createdAt'] as const
/** `lastSeenAt`: only people can be found by it, and nobody is told the time itself. */
const filteredFields = [...listedFields, 'lastSeenAt'] as const
/** Those of the client. Which of them a field allows is checked with the value. */
const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains'] as const

/**
 * Oldest first, unless sorted. `search`: only members whose name or address contains this text; machines are found by
 * name. `role`: only members who hold it. `total` counts all pages. `limit`: at most the membership limit. A filter by
 * role matches members who hold one of the named roles (`eq`, `in`, `contains`) or none of them (`ne`, `not_in`). Lists
 * of values are separated by commas, or repeat the parameter. Without a `filterField` there is no filter.
 *
 * `lastSeenAt` with `lt` or `lte` matches people who joined before that time, did nothing since that the audit trail
 * tells (a sign-in is told), and have no session that was renewed since. It is for members who may remove members.
 */
export const listMembers = call({
  method: 'GET',
  path: '/organization/list-members',
  summary: 'The members of an organization, a page at a time',
  access: 'session',
  input: z.object({
    organizationId,
    ...pageFields,
    search: z.string().max(200).optional(),
    role: z.string().max(200).optional(),
    organizationSlug: z.string().optional(),
    sortBy: z.enum(listedFields).optional(),
    sortDirection: z.enum(['asc', 'desc']).optional(),
    filterField: z.enum(filteredFields).optional(),
    filterOperator: z.enum(operators).optional(),
    filterValue: z.string().max(2000).optional(),
  }),
  output: z.object({ members: z.array(MemberView), total: z.number() }),
  failures: ['NO_ACTIVE_ORGANIZATION', 'NOT_A_MEMBER_FORBIDDEN', 'LAST_SEEN_FORBIDDEN'],
  isHeavy: true,
  scope: 'read',
  repeats: { organizationId: 'members.organizationId' },
  lists: ['filterValue'],
})

export const getActiveMember = call({
  method: 'GET',
  path: '/organization/get-active-member',
  summary: 'The signed-in user as a member of the active organization',
  access: 'session',
  input: z.object({}),
  output: MemberView,
  failures: ['NO_ACTIVE_ORGANIZATION', 'MEMBER_NOT_FOUND'],
  scope: 'read',
})

/** The roles of the signed-in user, or of another member, in the named or the active organization. */
export const getActiveMemberRole = call({
  method: 'GET',
  path: '/organization/get-active-member-role',
  summary: 'The roles of a member of an organization',
  access: 'session',
  input: z.object({ userId: z.string().optional(), organizationId, organizationSlug: z.string().optional() }),
  output: z.object({ role: roleNames }),
  failures: ['NO_ACTIVE_ORGANIZATION', 'NOT_A_MEMBER_FORBIDDEN'],
  scope: 'read',
})

/**
 * `memberIdOrEmail`: an address if it contains an `@`, otherwise a member id. `keys`: what happens to the keys and
 * trust rules that the member is responsible for. Without it they stay, without any permissions until somebody adopts
 * them. `revoke` and `adopt` need the right to do so with each. `machines`: how many there are.
 */
export const removeMember = call({
  method: 'POST',
  path: '/organization/remove-member',
  summary: 'Remove a member from an organization',
  access: 'session',
  input: z.object({ memberIdOrEmail: z.string(), organizationId, keys: z.enum(['revoke', 'adopt']).optional() }),
  output: z.object({ member: MemberView, machines: z.number() }),
  failures: [
    'SESSION_NOT_FRESH',
    'NO_ACTIVE_ORGANIZATION',
    'MEMBER_NOT_FOUND',
    'ONLY_OWNER',
    'MEMBER_DELETE_FORBIDDEN',
    'KEY_ADOPT_FORBIDDEN',
    'KEY_REVOKE_FORBIDDEN',
  ],
  scope: 'member:delete',
  repeats: { organizationId: 'member.organizationId' },
})

export const updateMemberRole = call({
  method: 'POST',
  path: '/organization/update-member-role',
  summary: 'Replace the roles of a member',
  access: 'session',
  input: z.object({ memberId: z.string(), role: roleInput, organizationId }),
  output: Member,
  failures: ['ROLE_NOT_FOUND', 'NO_ACTIVE_ORGANIZATION', 'MEMBER_NOT_FOUND', 'MEMBER_UPDATE_FORBIDDEN', 'ONLY_OWNER'],
  scope: 'member:update',
  repeats: { memberId: 'id' },
})

export const leave = call({
  method: 'POST',
  path: '/organization/leave',
  summary: 'Leave an organization',
  access: 'session',
  input: z.object({ organizationId: z.string() }),
  output: MemberView,
  failures: ['MEMBER_NOT_FOUND', 'ONLY_OWNER'],
})
