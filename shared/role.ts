import * as z from 'zod'
import { date } from './entities.ts'
import { type Actions, organizationRoles } from './permissions.ts'

/** Maps resource to actions. */
export const Permissions = z.record(z.string(), z.array(z.string()))

/** Stored in lower case. */
export const newRoleName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'letters, digits, - and _, at most 64, first a letter or a digit')

/**
 * A role of organizations. One of the settings has no id, organization and dates, and services without own roles do not
 * report them. `permission` repeats `permissions` under the name of better-auth 1.7.
 */
export const Role = z.object({
  role: z.string(),
  permissions: Permissions,
  permission: Permissions.optional(),
  id: z.string().nullable().optional(),
  organizationId: z.string().nullable().optional(),
  createdAt: date.nullable().optional(),
  updatedAt: date.nullable().optional(),
})
export type Role = z.output<typeof Role>

/** The definition of a role that members of an organization made. */
export interface OwnRole {
  readonly id: string
  readonly permission: Actions
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string | null
}

/** The own roles of an organization, by name. */
export type OwnRoles = Readonly<Record<string, OwnRole>>

const builtIn = new Set(Object.keys(organizationRoles))

/** Whether no organization may give a role of its own this name: one of the settings has it, or would by default. */
export const isReservedRole = (roles: Readonly<Record<string, unknown>>, name: string): boolean =>
  builtIn.has(name) || Object.keys(roles).some((one) => one.toLowerCase() === name)
