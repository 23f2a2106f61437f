import * as z from 'zod'
import { organizationId } from '../organization.ts'
import { newRoleName, Permissions, Role } from '../role.ts'
import { success } from './answers.ts'
import { call } from './call.ts'

/** By its name, or else by its id. */
const named = { roleName: z.string().min(1).optional(), roleId: z.string().min(1).optional() }
const eitherName = { path: ['roleName'], error: 'roleName or roleId' }
const isNamed = (asked: { readonly roleName?: string | undefined; readonly roleId?: string | undefined }): boolean =>
  (asked.roleName ?? asked.roleId) !== undefined

/**
 * The roles of the settings, and those of the named or active organization. Without an organization, and with
 * `predefined`, only those of the settings.
 */
export const listRoles = call({
  method: 'GET',
  path: '/organization/list-roles',
  summary: 'The roles of organizations and their permissions',
  access: 'session',
  input: z.object({ organizationId, predefined: z.enum(['true']).optional() }),
  output: z.array(Role),
  failures: ['NOT_A_MEMBER_FORBIDDEN'],
  scope: 'read',
})

export const getRole = call({
  method: 'GET',
  path: '/organization/get-role',
  summary: 'A role and its permissions',
  access: 'session',
  input: z.object({ organizationId, ...named }).refine(isNamed, eitherName),
  output: Role,
  failures: ['NO_ACTIVE_ORGANIZATION', 'NOT_A_MEMBER_FORBIDDEN', 'ROLE_NOT_FOUND'],
  scope: 'read',
})

/** Nobody makes a role with a permission that they lack. */
export const createRole = call({
  method: 'POST',
  path: '/organization/create-role',
  summary: 'Create a role of one organization',
  access: 'session',
  input: z.object({ organizationId, role: newRoleName, permission: Permissions }),
  output: z.object({ success: z.boolean(), roleData: Role, statements: Permissions }),
  repeats: { organizationId: 'roleData.organizationId' },
  failures: [
    'NO_ORGANIZATION_FOR_ROLE',
    'NOT_A_MEMBER_FORBIDDEN',
    'ROLE_CREATE_FORBIDDEN',
    'ROLE_CREATE_BEYOND_OWN',
    'ROLE_RESOURCE_UNKNOWN',
    'ROLE_NAME_TAKEN',
    'ROLE_LIMIT_REACHED',
  ],
  scope: 'ac:create',
})

/**
 * Changes the permissions, the name, or both. Members and pending invitations keep a renamed role. The caller needs
 * every permission of the role, before and after.
 */
export const updateRole = call({
  method: 'POST',
  path: '/organization/update-role',
  summary: 'Change the permissions or the name of a role of an organization',
  access: 'session',
  input: z
    .object({
      organizationId,
      ...named,
      data: z.object({ permission: Permissions.optional(), roleName: newRoleName.optional() }),
    })
    .refine(isNamed, eitherName),
  output: z.object({ success: z.boolean(), roleData: Role }),
  repeats: { organizationId: 'roleData.organizationId' },
  failures: [
    'NO_ACTIVE_ORGANIZATION',
    'NOT_A_MEMBER_FORBIDDEN',
    'ROLE_UPDATE_FORBIDDEN',
    'ROLE_UPDATE_BEYOND_OWN',
    'ROLE_NOT_OWN',
    'ROLE_NOT_FOUND',
    'ROLE_RESOURCE_UNKNOWN',
    'ROLE_NAME_TAKEN',
  ],
  scope: 'ac:update',
})

/** Refuses a role that a member or an invitation has. */
export const deleteRole = call({
  method: 'POST',
  path: '/organization/delete-role',
  summary: 'Delete a role of an organization that nobody has',
  access: 'session',
  input: z.object({ organizationId, ...named }).refine(isNamed, eitherName),
  output: success,
  failures: [
    'NO_ACTIVE_ORGANIZATION',
    'NOT_A_MEMBER_FORBIDDEN',
    'ROLE_DELETE_FORBIDDEN',
    'ROLE_DELETE_BEYOND_OWN',
    'ROLE_PREDEFINED',
    'ROLE_NOT_FOUND',
    'ROLE_IN_USE',
  ],
  scope: 'ac:delete',
})
