import { callScopes } from '../../../shared/contract/scopes.ts'
import { Failure } from '../../../shared/failure.ts'
import type { PermissionRequest } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'
import { parseIpRange } from '../../limits/ip-range.ts'
import type { MachineCaller } from '../../request/client.ts'

/** Refuses a scope that no call asks for and that no role grants: whoever wrote it would wait for it in vain. */
export function requireScopes({ roles }: Config, scopes: readonly string[]): void {
  const granted = Object.values(roles).flatMap((actions) =>
    Object.entries(actions).flatMap(([resource, names]) => names.map((name) => `${resource}:${name}`)),
  )
  const known = new Set([...callScopes, ...granted])
  if (!scopes.every((scope) => known.has(scope))) throw new Failure('SCOPE_NOT_FOUND')
}

/** Whether the scopes of a key hold all that is asked; somebody without a key has none to look at. */
export function isWithinScopes(key: MachineCaller | null, request: PermissionRequest): boolean {
  const { scopes = null } = key ?? {}
  if (scopes === null) return true
  return Object.entries(request).every(([resource, asked]) =>
    ('actions' in asked ? asked.actions : asked).every((action) => scopes.includes(`${resource}:${action}`)),
  )
}

/** Refuses a text that is no address and no range of them. */
export function requireRanges(ranges: readonly string[]): void {
  try {
    ranges.map(parseIpRange)
  } catch (cause) {
    throw new Failure('IP_RANGE_INVALID', { cause })
  }
}

/** Whether an address is in one of the ranges; none means anywhere. */
export const isWithin = (ranges: readonly string[], address: string): boolean =>
  ranges.length === 0 || ranges.some((range) => parseIpRange(range)(address))
