import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  authorize,
  isPermitted,
  organizationRoles,
  type PermissionRequest,
  platformRoles,
  type Roles,
  rolesLimitedTo,
} from './permissions.ts'

describe('isPermitted', () => {
  const actions: [string, string][] = Object.entries(organizationRoles.owner ?? {}).flatMap(([resource, list]) =>
    list.map((action): [string, string] => [resource, action]),
  )

  it('gives owners everything, admins all but deleting the organization, members nothing', () => {
    const allowed = (...held: string[]) =>
      actions
        .filter(([resource, action]) => isPermitted(organizationRoles, held, { [resource]: [action] }))
        .map((pair) => pair.join(':'))
    expect(allowed('owner')).toHaveLength(17)
    expect(allowed('admin')).toEqual(allowed('owner').filter((pair) => pair !== 'organization:delete'))
    expect(allowed('member')).toEqual([])
    expect(allowed('member', 'admin')).toEqual(allowed('admin'))
  })

  it('grants nothing to unknown, empty or inherited names', () => {
    for (const held of [
      [],
      [''],
      ...['owner,', 'OWNER', 'root', '__proto__', 'constructor', 'toString'].map((name) => [name]),
    ])
      expect(isPermitted(organizationRoles, held, { member: ['create'] })).toBe(false)
  })

  it('lets platform admins do what users may not', () => {
    expect(isPermitted(platformRoles, ['admin'], { user: ['ban'], session: ['revoke'] })).toBe(true)
    expect(isPermitted(platformRoles, ['user'], { user: ['list'] })).toBe(false)
    expect(isPermitted(platformRoles, ['admin'], { user: ['fly'], session: ['revoke'] })).toBe(false)
  })
})

describe('authorize', () => {
  const admin = organizationRoles.admin ?? {}

  it.each<[string, PermissionRequest, 'AND' | 'OR', string | null]>([
    ['all of one resource', { member: ['create', 'update'] }, 'AND', null],
    ['one of two, by a connector', { organization: { actions: ['update', 'delete'], connector: 'OR' } }, 'AND', null],
    ['both of two', { organization: ['update', 'delete'] }, 'AND', 'unauthorized to access resource "organization"'],
    [
      'both of two, by a connector',
      { organization: { actions: ['update', 'delete'], connector: 'AND' } },
      'OR',
      'Not authorized',
    ],
    ['one resource of two', { organization: ['delete'], team: ['create'] }, 'OR', null],
    ['neither of two', { organization: ['delete'] }, 'OR', 'Not authorized'],
    ['an unknown resource', { rocket: ['launch'] }, 'AND', 'You are not allowed to access resource: rocket'],
    [
      'an unknown resource among others',
      { rocket: ['launch'], team: ['create'] },
      'OR',
      'You are not allowed to access resource: rocket',
    ],
    ['an inherited name', { toString: ['call'] }, 'AND', 'You are not allowed to access resource: toString'],
    ['nothing', {}, 'AND', 'Not authorized'],
    ['no action', { team: [] }, 'AND', 'unauthorized to access resource "team"'],
  ])('decides on %s', (_name, request, mode, error) => {
    expect(authorize(admin, request, mode)).toEqual(error === null ? { success: true } : { success: false, error })
  })

  it('agrees with a naive reading of the rules for any request, of unknown and inherited names too', () => {
    const known = ['organization', 'member', 'invitation', 'team']
    const resource = fc.constantFrom(...known, 'rocket', 'toString', 'constructor', '__proto__', '')
    const list = fc.uniqueArray(fc.constantFrom('create', 'update', 'delete', 'cancel', 'includes'))
    fc.assert(
      fc.property(fc.dictionary(resource, list), fc.constantFrom('AND' as const, 'OR' as const), (request, mode) => {
        const names = Object.keys(request)
        const isHeld = (name: string) => {
          const asked = request[name] ?? []
          return known.includes(name) && asked.length > 0 && asked.every((action) => admin[name]?.includes(action))
        }
        const [strange, held] = [names.findIndex((name) => !known.includes(name)), names.findIndex(isHeld)]
        const isAnyFirst = held !== -1 && (strange === -1 || held < strange)
        const expected = mode === 'AND' ? names.length > 0 && names.every(isHeld) : isAnyFirst
        expect(authorize(admin, request, mode).success).toBe(expected)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('roles within those of somebody else', () => {
  const roles: Roles = { a: { x: ['1', '2'], y: ['1'] }, b: { x: ['1'] }, c: { x: ['2'], y: ['1', '2'] }, d: {} }
  const names = fc.subarray(Object.keys(roles))
  const permissions = ['x', 'y', 'z'].flatMap((resource) => ['1', '2'].map((action) => [resource, action] as const))

  it('grant one permission exactly where both do', () => {
    fc.assert(
      fc.property(names, names, fc.constantFrom(...permissions), (held, limit, [resource, action]) => {
        const request = { [resource]: [action] }
        const isGranted = isPermitted(roles, held, request) && isPermitted(roles, limit, request)
        expect(isPermitted(rolesLimitedTo(roles, limit), held, request)).toBe(isGranted)
      }),
    )
  })

  it('grant none of several where each grants another one', () => {
    const either: PermissionRequest = { x: { actions: ['1', '2'], connector: 'OR' } }
    expect([isPermitted(roles, ['b'], either), isPermitted(roles, ['c'], either)]).toEqual([true, true])
    expect(isPermitted(rolesLimitedTo(roles, ['c']), ['b'], either)).toBe(false)
  })
})
