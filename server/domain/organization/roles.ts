import { Failure } from '../../../shared/failure.ts'
import { may, parseRoles, type Roles } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'

/** Role text or list, parsed once: trimmed names, each once, each known. An empty or unknown one is refused. */
export function readRoles({ roles }: Config, given: string | readonly string[]): readonly string[] {
  const names = [...parseRoles([given].flat().join(','))]
  // An empty entry of a list, or between commas, is no role either.
  const isWhole = [given].flat().every((text) => text.split(',').every((name) => name.trim() !== ''))
  if (names.length === 0 || !isWhole || !names.every((name) => Object.hasOwn(roles, name)))
    throw new Failure('ROLE_NOT_FOUND')
  return names
}

export const isOwner = ({ CREATOR_ROLE }: Config, roleText: string): boolean => parseRoles(roleText).has(CREATOR_ROLE)

type Permission = `${'organization' | 'member' | 'invitation' | 'team'}:${string}`

/** Whether a member with this role text may do one thing. */
export function can(roles: Roles, roleText: string, permission: Permission): boolean {
  const [resource = '', action = ''] = permission.split(':')
  return may(roles, roleText, { [resource]: [action] })
}
