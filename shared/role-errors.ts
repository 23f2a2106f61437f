/** The part of the error catalogue about the roles that members of an organization make. */
export const roleErrors = {
  NO_ORGANIZATION_FOR_ROLE: {
    status: 400,
    kind: 'not-found',
    message: 'You must be in an organization to create a role',
  },
  ROLE_CREATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to create a role' },
  ROLE_UPDATE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to update a role' },
  ROLE_DELETE_FORBIDDEN: { status: 403, kind: 'forbidden', message: 'You are not allowed to delete a role' },
  ROLE_CREATE_BEYOND_OWN: {
    status: 403,
    kind: 'forbidden',
    code: 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE',
    message: 'You are not allowed to create a role with permissions that you lack: {field}',
  },
  ROLE_UPDATE_BEYOND_OWN: {
    status: 403,
    kind: 'forbidden',
    code: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE',
    message: 'You are not allowed to update a role with permissions that you lack: {field}',
  },
  ROLE_DELETE_BEYOND_OWN: {
    status: 403,
    kind: 'forbidden',
    code: 'YOU_ARE_NOT_ALLOWED_TO_DELETE_A_ROLE',
    message: 'You are not allowed to delete a role with permissions that you lack: {field}',
  },
  ROLE_LIMIT_REACHED: {
    status: 400,
    kind: 'conflict',
    code: 'TOO_MANY_ROLES',
    message: 'This organization has too many roles',
  },
  ROLE_RESOURCE_UNKNOWN: {
    status: 400,
    kind: 'rejected',
    code: 'INVALID_RESOURCE',
    message: 'The provided permission includes an invalid resource',
  },
  ROLE_NAME_TAKEN: {
    status: 400,
    kind: 'conflict',
    code: 'ROLE_NAME_IS_ALREADY_TAKEN',
    message: 'That role name is already taken',
  },
  ROLE_NOT_OWN: {
    status: 400,
    kind: 'not-found',
    code: 'ROLE_NOT_FOUND',
    message: 'The role is one of the service, so it cannot be changed by an organization',
  },
  ROLE_PREDEFINED: {
    status: 400,
    kind: 'conflict',
    code: 'CANNOT_DELETE_A_PRE_DEFINED_ROLE',
    message: 'Cannot delete a pre-defined role',
  },
  ROLE_IN_USE: {
    status: 400,
    kind: 'conflict',
    code: 'ROLE_IS_ASSIGNED_TO_MEMBERS',
    message: 'Cannot delete a role that is in use: {field}. Give them another role first, or cancel the invitations',
  },
} as const
