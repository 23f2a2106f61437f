import * as z from 'zod'
import { date, FullUser, language, picture, profileFields, roleInput, Session, userFilterFields } from '../entities.ts'
import { passwordRules } from '../errors.ts'
import { OrganizationName, pageFields } from '../organization.ts'
import { ownFieldsInput } from '../own-fields.ts'
import { eitherPermissionField } from '../permissions.ts'
import { Permissions } from '../role.ts'
import { done, success } from './answers.ts'
import { call } from './call.ts'

/** A number is read as text, since applications with numeric ids send them so. */
const userId = z.codec(z.union([z.string(), z.number()]), z.string(), { decode: String, encode: (id) => id })
const target = z.object({ userId })
const banReason = z.string().max(500)

/** Seconds. At most 3650 days, like DEFAULT_BAN_EXPIRES_IN. */
const isBanTime = (seconds: number): boolean => seconds >= 1 && seconds <= 315_360_000

const one = z.object({ user: FullUser })
const post = { method: 'POST', access: 'session' } as const

/** The fields by which list-users sorts. No other column is exposed. */
const sortFields = ['id', 'email', 'name', 'createdAt'] as const
/** Which of them a field allows is checked with the value. */
const operators = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
] as const

/**
 * Lists users. Search and filter must both match. A search in `any` looks at address and name. Without a `filterValue`
 * there is no filter, and without a `searchValue` no search. A role filter matches users who hold that role.
 * `contains` and `starts_with` are for `email` and `name`, `ends_with` also for `id`. `in` and `not_in` are for `id`,
 * `email` and `role`, and need at least one value; several are separated by commas, or repeat the parameter. `total`
 * counts all pages. Machines of organizations are left out, unless the filter is by `isMachine` or `id`. The service's
 * own fields can be filtered by, too.
 */
export const listUsers = call({
  method: 'GET',
  path: '/admin/list-users',
  summary: 'The users of this service, page by page',
  access: 'session',
  input: z.object({
    ...pageFields,
    searchValue: z.string().max(200).optional(),
    searchField: z.enum(['email', 'name', 'any']).optional(),
    searchOperator: z.enum(['contains', 'starts_with', 'ends_with']).optional(),
    sortBy: z.enum(sortFields).optional(),
    sortDirection: z.enum(['asc', 'desc']).optional(),
    filterField: z.union([z.enum(userFilterFields), z.string().max(32)]).optional(),
    filterValue: z.string().max(2000).optional(),
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
  lists: ['filterValue'],
})

export const getUser = call({
  method: 'GET',
  path: '/admin/get-user',
  summary: 'A user of this service',
  access: 'session',
  input: z.object({ id: z.string() }),
  output: FullUser,
  failures: ['USER_VIEW_FORBIDDEN', 'NO_SUCH_USER'],
  repeats: { id: 'id' },
})

/**
 * Changes the profile of a user. Roles, bans and passwords have calls of their own; other members of `data` are
 * refused. `email` and `emailVerified` need the right to set addresses, and a verified one also the right to set roles.
 * A new address is unverified unless `emailVerified` is given; the old one is told, and mailed links end.
 */
export const updateManagedUser = call({
  ...post,
  path: '/admin/update-user',
  summary: 'Change the name, the image, the language, the address or own fields of a user',
  input: target.extend({
    data: z.object({
      name: profileFields.name.optional(),
      image: picture.nullable().optional(),
      email: z.string().optional(),
      emailVerified: z.boolean().optional(),
      language: language.nullable().optional(),
      ...ownFieldsInput({ of: 'user', write: 'update', by: 'admin', isStrict: true }),
    }),
  }),
  output: FullUser,
  failures: [
    'USER_UPDATE_FORBIDDEN',
    'USER_EMAIL_FORBIDDEN',
    'USER_ROLE_FORBIDDEN',
    'NO_DATA_TO_UPDATE',
    'INVALID_EMAIL',
    'NO_SUCH_USER',
    'USER_EXISTS_ALREADY',
    'LAST_ADMIN',
  ],
  repeats: { userId: 'id' },
})

/**
 * Creates a user without a session or mail. Without a password, the user sets one by a mailed link. `emailVerified`,
 * and a role other than the default one, require the right to set roles. A ban requires the right to ban. Other members
 * of `data` are ignored.
 */
export const createUser = call({
  ...post,
  path: '/admin/create-user',
  summary: 'Create a user',
  input: z.object({
    email: z.string(),
    password: z.string().optional(),
    name: profileFields.name,
    role: roleInput.optional(),
    data: z
      .object({
        image: picture.nullable().optional(),
        emailVerified: z.boolean().optional(),
        language: language.nullable().optional(),
        role: roleInput.optional(),
        banned: z.boolean().nullable().optional(),
        banReason: banReason.nullable().optional(),
        banExpires: date.nullable().optional(),
        ...ownFieldsInput({ of: 'user', write: 'create', by: 'admin' }),
      })
      .prefault({}),
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
  repeats: { email: 'user.email' },
})

/** You cannot give a role with more permissions than your own, nor change a user who has more. */
export const setRole = call({
  ...post,
  path: '/admin/set-role',
  summary: 'Replace the platform roles of a user',
  input: target.extend({ role: roleInput }),
  output: one,
  failures: ['USER_ROLE_FORBIDDEN', 'ROLE_NOT_FOUND', 'NO_SUCH_USER', 'SELF_DEMOTION'],
  repeats: { userId: 'user.id' },
})

/**
 * `banExpiresIn`: seconds; the settings' default when absent. All of the user's sessions and pending sign-ins end at
 * once. Their keys do nothing until the ban is over.
 */
export const banUser = call({
  ...post,
  path: '/admin/ban-user',
  summary: 'Ban a user, permanently or for a time',
  input: target.extend({
    banReason: banReason.optional(),
    banExpiresIn: z.number().refine(isBanTime, 'a number of seconds, up to 3650 days').optional(),
  }),
  output: one,
  failures: ['USER_BAN_FORBIDDEN', 'SELF_BAN', 'NO_SUCH_USER'],
  repeats: { userId: 'user.id' },
})

export const unbanUser = call({
  ...post,
  path: '/admin/unban-user',
  summary: 'Lift the ban of a user',
  input: target,
  output: one,
  failures: ['USER_BAN_FORBIDDEN', 'NO_SUCH_USER'],
  repeats: { userId: 'user.id' },
})

/**
 * Starts a short session that impersonates the user. It is never extended and never fresh, cannot change how the user
 * signs in, and ends with the administrator's own session. Users with any platform permission cannot be impersonated.
 */
export const impersonateUser = call({
  ...post,
  path: '/admin/impersonate-user',
  summary: 'Impersonate a user for a limited time',
  input: target,
  output: z.object({ session: Session, user: FullUser }),
  failures: ['USER_IMPERSONATION_FORBIDDEN', 'NO_SUCH_USER', 'ADMIN_IMPERSONATION', 'BANNED_USER'],
  refreshesSession: true,
  repeats: { userId: 'user.id' },
})

/**
 * Ends the impersonation and returns to the administrator's session, if its cookie was sent and it is still live.
 * Otherwise both fields are null and nobody is signed in. A client that uses bearer tokens still has the
 * administrator's own token.
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

/** Lists live sessions, with handles in place of tokens. */
export const listUserSessions = call({
  ...post,
  path: '/admin/list-user-sessions',
  summary: 'The sessions of a user',
  input: target,
  output: z.object({ sessions: z.array(Session) }),
  failures: ['USER_SESSIONS_LIST_FORBIDDEN', 'NO_SUCH_USER'],
  isReading: true,
  repeats: { userId: 'sessions.userId' },
})

/** Accepts a token, or a handle from list-user-sessions. */
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
  summary: 'End all sessions of a user, and their personal keys',
  input: target,
  output: success,
  failures: ['USER_SESSIONS_REVOKE_FORBIDDEN', 'NO_SUCH_USER'],
})

/** `organizations`: those without another member, which were deleted too. */
export const removeUser = call({
  ...post,
  path: '/admin/remove-user',
  summary: 'Delete a user with everything that is theirs',
  input: target,
  output: success.extend({ organizations: z.array(OrganizationName).optional() }),
  failures: ['USER_DELETE_FORBIDDEN', 'SELF_REMOVAL', 'NO_SUCH_USER', 'ONLY_OWNER'],
  isHooked: true,
})

/**
 * Also works for a user without a password. Ends every session and personal key of the user, and informs them by mail.
 */
export const setUserPassword = call({
  ...post,
  path: '/admin/set-user-password',
  summary: 'Set the password of a user; ends their sessions and personal keys',
  input: target.extend({ newPassword: z.string() }),
  output: done,
  failures: ['USER_PASSWORD_FORBIDDEN', ...passwordRules, 'NO_SUCH_USER'],
})

/**
 * Takes either `permissions` or its older name `permission`, but not both. Without `userId` and `role` it checks the
 * caller. Checking others requires the right to list users.
 */
export const hasPlatformPermission = call({
  ...post,
  path: '/admin/has-permission',
  summary: 'Whether a user, or a role, has all the given platform permissions',
  input: z
    .object({
      userId: userId.optional(),
      role: z.string().optional(),
      permissions: Permissions.optional(),
      permission: Permissions.optional(),
    })
    .refine((asked) => (asked.permissions === undefined) !== (asked.permission === undefined), eitherPermissionField),
  output: z.object({ error: z.null(), success: z.boolean() }),
  failures: ['USER_LIST_FORBIDDEN', 'SUBJECT_NOT_FOUND'],
  isReading: true,
})
