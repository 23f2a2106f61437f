import * as z from 'zod'
import { date, FullUser, picture, profileFields, roleInput, Session } from '../entities.ts'
import { passwordRules } from '../errors.ts'
import { OrganizationName, pageFields } from '../organization.ts'
import { eitherPermissions } from '../permissions.ts'
import { call } from './call.ts'

/** A number means its text: applications whose own ids are numbers send them so. */
const userId = z.codec(z.union([z.string(), z.number()]), z.string(), { decode: String, encode: (id) => id })
const target = z.object({ userId })
const banReason = z.string().max(500)

/** Seconds. */
const isBanTime = (seconds: number): boolean => seconds >= 1 && seconds <= 3_155_760_000

const one = z.object({ user: FullUser })
const success = z.object({ success: z.boolean() })
const post = { method: 'POST', access: 'session' } as const

/** What list-users sorts and filters by; no other column tells anything. */
const sortFields = ['id', 'email', 'name', 'createdAt'] as const
const filterFields = ['id', 'email', 'name', 'role', 'emailVerified', 'banned', 'isMachine', 'createdAt'] as const
/** `ends_with`: of an `id` alone, which people may name by its ending. */
const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'ends_with'] as const

/**
 * Search and filter both have to hold. Without a `filterValue` there is no filter, without a `searchValue` no search. A role
 * is equal to `filterValue` where the user holds it; `total` counts all pages. The machines of organizations are left out, but
 * for a filter by `isMachine` or `id`.
 */
export const listUsers = call({
  method: 'GET',
  path: '/admin/list-users',
  summary: 'The users of this service, page by page',
  access: 'session',
  input: z.object({
    ...pageFields,
    searchValue: z.string().max(200).optional(),
    searchField: z.enum(['email', 'name']).optional(),
    searchOperator: z.enum(['contains', 'starts_with', 'ends_with']).optional(),
    sortBy: z.enum(sortFields).optional(),
    sortDirection: z.enum(['asc', 'desc']).optional(),
    filterField: z.enum(filterFields).optional(),
    filterValue: z.string().max(320).optional(),
    filterOperator: z.enum(operators).optional(),
  }),
  output: z.object({
    users: z.array(FullUser),
    total: z.number(),
    limit: z.number().optional(),
    offset: z.number().optional(),
  }),
  failures: ['USER_LIST_FORBIDDEN'],
  isHeavy: true,
})

/**
 * Signs nobody in and mails nobody. A role other than that of sign-ups, and `emailVerified`, need the right to set roles; a
 * ban needs the right to ban. Whatever else `data` holds is left out.
 */
export const createUser = call({
  ...post,
  path: '/admin/create-user',
  summary: 'Create a user with a password',
  input: z.object({
    email: z.string(),
    password: z.string(),
    name: profileFields.name,
    role: roleInput.optional(),
    data: z
      .object({
        image: picture.nullable().optional(),
        emailVerified: z.boolean().optional(),
        role: roleInput.optional(),
        banned: z.boolean().nullable().optional(),
        banReason: banReason.nullable().optional(),
        banExpires: date.nullable().optional(),
      })
      .optional(),
  }),
  output: one,
  failures: [
    'USER_CREATE_FORBIDDEN',
    'USER_ROLE_FORBIDDEN',
    'USER_BAN_FORBIDDEN',
    'INVALID_EMAIL',
    'ROLE_NOT_FOUND',
    ...passwordRules,
    'USER_EXISTS_ALREADY',
  ],
})

/** Nobody gives a role that allows more than their own, nor changes somebody who may do more. */
export const setRole = call({
  ...post,
  path: '/admin/set-role',
  summary: 'Give a user other platform roles',
  input: target.extend({ role: roleInput }),
  output: one,
  failures: ['USER_ROLE_FORBIDDEN', 'ROLE_NOT_FOUND', 'NO_SUCH_USER', 'SELF_DEMOTION'],
})

/** `banExpiresIn`: seconds; without it as the settings say. Everything by which the user is signed in ends at once. */
export const banUser = call({
  ...post,
  path: '/admin/ban-user',
  summary: 'Keep a user out, for good or for a while',
  input: target.extend({
    banReason: banReason.optional(),
    banExpiresIn: z.number().refine(isBanTime, 'a number of seconds, up to a hundred years').optional(),
  }),
  output: one,
  failures: ['USER_BAN_FORBIDDEN', 'SELF_BAN', 'NO_SUCH_USER'],
})

export const unbanUser = call({
  ...post,
  path: '/admin/unban-user',
  summary: 'Let a banned user in again',
  input: target,
  output: one,
  failures: ['USER_BAN_FORBIDDEN', 'NO_SUCH_USER'],
})

/**
 * Makes a short session that acts as the user. It is never extended and never fresh, cannot change how the user signs in, and
 * ends with the session of the one who asks. Nobody who may do anything on the platform can be impersonated.
 */
export const impersonateUser = call({
  ...post,
  path: '/admin/impersonate-user',
  summary: 'Act as a user for a while',
  input: target,
  output: z.object({ session: Session, user: FullUser }),
  failures: ['USER_IMPERSONATION_FORBIDDEN', 'NO_SUCH_USER', 'ADMIN_IMPERSONATION', 'BANNED_USER'],
  refreshesSession: true,
})

/**
 * Ends the impersonation, and goes back to the session that began it: where the cookie of that came along and it still lives.
 * Otherwise both are null, and nobody is signed in any more: a client that keeps tokens has its own.
 */
export const stopImpersonating = call({
  ...post,
  path: '/admin/stop-impersonating',
  summary: 'Stop acting as a user',
  input: z.object({}),
  output: z.object({ session: Session.nullable(), user: FullUser.nullable() }),
  failures: ['NOT_IMPERSONATING'],
  refreshesSession: true,
})

/** Those that live, with handles in place of tokens. */
export const listUserSessions = call({
  ...post,
  path: '/admin/list-user-sessions',
  summary: 'The sessions of a user',
  input: target,
  output: z.object({ sessions: z.array(Session) }),
  failures: ['USER_SESSIONS_LIST_FORBIDDEN', 'NO_SUCH_USER'],
  isReading: true,
})

/** Takes a token, or the handle from list-user-sessions. */
export const revokeUserSession = call({
  ...post,
  path: '/admin/revoke-user-session',
  summary: 'End one session of a user by its token or handle',
  input: z.object({ sessionToken: z.string() }),
  output: success,
  failures: ['USER_SESSIONS_REVOKE_FORBIDDEN', 'SESSION_NOT_FOUND'],
})

export const revokeUserSessions = call({
  ...post,
  path: '/admin/revoke-user-sessions',
  summary: 'End all sessions of a user',
  input: target,
  output: success,
  failures: ['USER_SESSIONS_REVOKE_FORBIDDEN', 'NO_SUCH_USER'],
})

/** `organizations`: those that had no other member; they were deleted too. */
export const removeUser = call({
  ...post,
  path: '/admin/remove-user',
  summary: 'Delete a user with everything that is theirs',
  input: target,
  output: success.extend({ organizations: z.array(OrganizationName).optional() }),
  failures: ['USER_DELETE_FORBIDDEN', 'SELF_REMOVAL', 'NO_SUCH_USER', 'ONLY_OWNER'],
  isHooked: true,
})

/** Works also for a user without a password. Ends every session and every own key of the user, who is told by mail. */
export const setUserPassword = call({
  ...post,
  path: '/admin/set-user-password',
  summary: 'Set the password of a user',
  input: target.extend({ newPassword: z.string() }),
  output: z.object({ status: z.boolean() }),
  failures: ['USER_PASSWORD_FORBIDDEN', ...passwordRules, 'NO_SUCH_USER'],
})

const permissions = z.record(z.string(), z.array(z.string()))

/**
 * Exactly one of `permissions` and its older name `permission`. Without `userId` and `role` about the one who asks; about
 * others only for who may list users.
 */
export const hasPlatformPermission = call({
  ...post,
  path: '/admin/has-permission',
  summary: 'Whether a user, or a role, may do all that is asked on the platform',
  input: z
    .object({
      userId: userId.optional(),
      role: z.string().optional(),
      permissions: permissions.optional(),
      permission: permissions.optional(),
    })
    .refine((asked) => (asked.permissions === undefined) !== (asked.permission === undefined), eitherPermissions),
  output: z.object({ error: z.null(), success: z.boolean() }),
  failures: ['USER_LIST_FORBIDDEN', 'SUBJECT_NOT_FOUND'],
  isReading: true,
})
