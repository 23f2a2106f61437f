import { Failure } from '../../../shared/failure.ts'
import { may, type Roles } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'

/** Refuses a role that there is not, and none at all. */
export function requireKnown({ roles }: Config, given: readonly string[]): void {
  if (given.length === 0 || !given.every((name) => Object.hasOwn(roles, name))) throw new Failure('ROLE_NOT_FOUND')
}

export const isOwner = ({ CREATOR_ROLE }: Config, held: readonly string[]): boolean => held.includes(CREATOR_ROLE)

type Permission = `${'organization' | 'member' | 'invitation' | 'team'}:${string}`

/** Whether a member who holds these roles may do one thing. */
export function can(roles: Roles, held: readonly string[], permission: Permission): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return may(roles, held, { [resource]: [action] })
}
