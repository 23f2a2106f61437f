/** Failures of what platform roles are needed for, as those of the catalogue. */
export const adminErrors = {
  USER_LIST_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to list users' },
  USER_CREATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to create users' },
  USER_ROLE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to change users role' },
  USER_BAN_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to ban users' },
  USER_IMPERSONATION_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to impersonate users',
  },
  USER_DELETE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to delete users' },
  USER_PASSWORD_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to set users password' },
  USER_SESSIONS_LIST_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to list users sessions',
  },
  USER_SESSIONS_REVOKE_FORBIDDEN: {
    status: 403,
    kind: 'forbidden',
    message: 'You are not allowed to revoke users sessions',
  },
  // At sign-up the same sentence has another status.
  USER_EXISTS_ALREADY: { status: 400, kind: 'conflict', message: 'User already exists' },
  NO_SUCH_USER: { status: 404, kind: 'not-found', message: 'User not found' },
  SUBJECT_NOT_FOUND: { status: 400, kind: 'not-found', message: 'user not found' },
  SELF_BAN: { status: 400, kind: 'conflict', message: 'You cannot ban yourself' },
  SELF_DEMOTION: { status: 400, kind: 'conflict', message: 'You cannot demote yourself' },
  LAST_ADMIN: { status: 400, kind: 'conflict', message: 'The last admin cannot be removed' },
  SELF_REMOVAL: { status: 400, kind: 'conflict', message: 'You cannot remove yourself' },
  ADMIN_IMPERSONATION: { status: 403, kind: 'forbidden', message: 'You cannot impersonate admins' },
  NOT_IMPERSONATING: { status: 400, kind: 'conflict', message: 'You are not impersonating anyone' },
  KEY_ROTATION_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to rotate keys' },
} as const
