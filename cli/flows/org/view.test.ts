import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Config } from '../../../server/config.ts'
import { requireMachineEnder } from '../../../server/domain/key/rights.ts'
import { checkRemoval, checkRoleChange } from '../../../server/domain/member/members.ts'
import type { Caller } from '../../../server/request/client.ts'
import type { MemberView } from '../../../shared/organization.ts'
import { organizationRoles, type Roles } from '../../../shared/permissions.ts'
import { actionOf } from '../action.ts'
import { removeMember } from '../member/remove.ts'
import { organizationSettings } from './resource.ts'
import {
  allMembers,
  areLastOwners,
  isOwner,
  type OrganizationView,
  whyNotEndMachines,
  whyNotGrant,
  whyNotLeave,
  whyNotRemove,
  whyNotSetRoles,
} from './view.ts'

const roles: Roles = {
  ...organizationRoles,
  recruiter: { member: ['create', 'update', 'delete'], invitation: ['create'] },
  janitor: { member: ['delete'] },
}
const config = { roles, CREATOR_ROLE: 'owner' } as unknown as Config
const someRoles = fc.uniqueArray(fc.constantFrom(...Object.keys(roles)), { minLength: 1, maxLength: 3 })

const memberOf = (
  role: readonly string[],
  index: number,
): MemberView & { sponsorRoles: null; ownRoles: Record<string, never>; isBanned: false } => ({
  sponsorRoles: null,
  ownRoles: {},
  // A screen is not told of bans; the service alone refuses what rests on them.
  isBanned: false,
  id: `m${index}`,
  organizationId: 'o',
  userId: `u${index}`,
  role,
  teamId: null,
  createdAt: new Date(0),
  user: { id: `u${index}`, name: 'Somebody', email: `u${index}@example.com`, image: null },
})

const viewOf = (members: readonly MemberView[]): OrganizationView => {
  const organization = {
    id: 'o',
    name: 'Acme',
    slug: 'acme',
    logo: null,
    metadata: null,
    createdAt: new Date(0),
    fields: {},
  }
  return {
    organization: { ...organization, invitations: [], members: [...members], teams: [] },
    roles,
    ownerRoles: ['owner'],
    self: members[0],
  }
}

const someMembers = fc.array(someRoles, { minLength: 1, maxLength: 4 }).map((list) => list.map(memberOf))
const refuses = (action: () => unknown): boolean => {
  try {
    action()
    return false
  } catch {
    return true
  }
}

describe('the screen refuses exactly what the service refuses', () => {
  test('of removing a member', () => {
    fc.assert(
      fc.property(someMembers, fc.nat(3), (members, index) => {
        const target = members[index % members.length]!
        const isRefused = refuses(() => checkRemoval(config, members, 'u0', { memberId: target.id, email: null }))
        expect(whyNotRemove(viewOf(members), [target]) !== undefined).toBe(isRefused)
      }),
      { numRuns: 2000 },
    )
  })

  test('of giving a member other roles', () => {
    fc.assert(
      fc.property(someMembers, fc.nat(3), someRoles, (members, index, wanted) => {
        const [view, target] = [viewOf(members), members[index % members.length]!]
        const change = { memberId: target.id, roles: wanted }
        const isRefused = refuses(() => checkRoleChange(config, members, 'u0', change))
        const isLast = areLastOwners(view, [target]) && !isOwner(view, wanted)
        const reasons = [whyNotSetRoles(view, [target]), ...wanted.map((role) => whyNotGrant(view, role))]
        expect(isLast || reasons.some((reason) => reason !== undefined)).toBe(isRefused)
      }),
      { numRuns: 2000 },
    )
  })
})

test('the screen refuses to end exactly those machines that the service refuses to end', () => {
  const sponsors = fc.constantFrom('u0', 'u1', null)
  fc.assert(
    fc.property(someRoles, someRoles, sponsors, (held, given, sponsorId) => {
      const self = memberOf(held, 0)
      const [actor, caller] = [{ ...self, roles: held }, { user: { id: self.userId } } as Caller]
      const isRefused = refuses(() => requireMachineEnder(config, actor, caller, { role: given, sponsorId }))
      expect(whyNotEndMachines(viewOf([self]), [{ role: given, sponsorId }]) !== undefined).toBe(isRefused)
    }),
    { numRuns: 2000 },
  )
})

test('of several owners all may not go at once', () => {
  const members = [['owner'], ['owner'], ['member']].map(memberOf)
  const view = viewOf(members)
  expect(whyNotRemove(view, members.slice(1))).toBeUndefined()
  expect(whyNotRemove(view, members)).toContain('the last owner has to stay')
  expect(whyNotLeave(view)).toBeUndefined()
  expect(whyNotLeave(viewOf(members.slice(1)))).toBe(
    'the last owner has to stay; make another one first, or delete the organization',
  )
})

test('an owner is removed by the address, several by the slug, and nobody else by more than a key', () => {
  const [ann, bob, eve] = [memberOf(['owner'], 0), memberOf(['member', 'owner'], 1), memberOf(['admin'], 2)]
  const view = viewOf([ann, bob, eve])
  const removing = (...members: readonly MemberView[]) =>
    actionOf(
      removeMember,
      members.map((member) => ({ member, isOwner: isOwner(view, member.role), org: 'acme' })),
      view,
    )
  const wordFor = (...members: readonly MemberView[]) => removing(...members).word
  expect([wordFor(eve), wordFor(bob), wordFor(eve, ann), wordFor(ann, bob)]).toEqual([
    undefined,
    'u1@example.com',
    'u0@example.com',
    'acme',
  ])
  expect(removing(bob).command).toBe('postern member remove u1@example.com --org acme --confirm u1@example.com')
  expect(removing(eve).command).toBe('postern member remove u2@example.com --org acme')
})

test('what is offered about an organization reads the name of no member, as there can be thousands', () => {
  const [member, named] = [memberOf(['owner'], 0), vi.fn<() => void>()]
  const view = viewOf([Object.defineProperty(member, 'user', { get: named })])
  expect(organizationSettings.acts.flatMap(({ offers }) => offers([], view))).toHaveLength(5)
  expect(named).not.toHaveBeenCalled()
})

test('who leaves while the parts of a list are read hides nobody else', async () => {
  const there = Array.from({ length: 2500 }, (_, index) => memberOf(['member'], index))
  const asked: string[] = []
  const listMembers = ({ limit, offset }: { limit: string; offset: string }) => {
    asked.push(offset)
    const answer = { members: there.slice(Number(offset), Number(offset) + Number(limit)), total: there.length }
    if (asked.length === 1) there.splice(7, 1)
    return Promise.resolve(answer)
  }
  const api = { member: { listMembers } } as unknown as Parameters<typeof allMembers>[0]
  const found = await allMembers(api, 'o')
  expect(found.map(({ id }) => id)).toEqual(there.map(({ id }) => id))
  expect(asked).toEqual(['0', '1000', '0', '1000', '2000'])
})
