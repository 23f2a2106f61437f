import { beforeAll, describe, expect, it } from 'vitest'
import { organizationRoles, type Roles } from '../../../shared/permissions.ts'
import { type Founded, found, type Insider } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { keepRows } from '../../testing/rows.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const roles: Roles = {
  // Owns, and yet lacks what the treasurer holds.
  founder: organizationRoles.owner ?? {},
  admin: organizationRoles.admin ?? {},
  steward: { member: ['update', 'delete'] },
  treasurer: { member: ['update', 'delete'], billing: ['read', 'pay'] },
  clerk: { billing: ['read'] },
  member: {},
}
const kinds = ['founder', 'admin', 'steward', 'treasurer', 'clerk', 'steward,clerk', 'founder,clerk', 'member'] as const
type Kind = (typeof kinds)[number]

/** Each permission that roles grant, told apart from how the service compares them. */
const held = (kind: Kind): ReadonlySet<string> =>
  new Set(
    kind
      .split(',')
      .flatMap((name) => Object.entries(roles[name] ?? {}))
      .flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`)),
  )
const owns = (kind: Kind): boolean => kind.split(',').includes('founder')

function mayTouch(actor: Kind, target: Kind, permission: string): boolean {
  if (!held(actor).has(permission)) return false
  return owns(actor) || (!owns(target) && [...held(target)].every((one) => held(actor).has(one)))
}

const service = useTestService()
let acme: Founded
let actors: Record<Kind, Insider>
let targets: Record<Kind, Insider>
let restore: () => Promise<void>
beforeAll(async () => {
  Object.assign(service.deps.config, { roles, CREATOR_ROLE: 'founder' })
  acme = await found(service)
  const joined = async () =>
    Object.fromEntries(
      await Promise.all(kinds.map(async (kind) => [kind, steady(await acme.join(kind), service)] as const)),
    ) as Record<Kind, Insider>
  actors = await joined()
  targets = await joined()
  restore = await keepRows(service)
})

const rolesOf = async (target: Kind): Promise<string | undefined> => {
  const { memberId } = targets[target]
  const [row] = await service.deps.sql<{ roles: string[] }[]>`select roles from members where id = ${memberId}`
  return row?.roles.join(',')
}
const answerOf = ({ status, body }: Reply) => (status === 200 ? 'done' : body.code)

/** What each target was answered to one actor, and what is kept of them then. */
async function ofAll(act: (target: Kind) => Promise<Reply>): Promise<object> {
  const told = []
  for (const target of kinds) {
    await restore()
    told.push([target, answerOf(await act(target)), (await rolesOf(target)) ?? 'gone'] as const)
  }
  return Object.fromEntries(told.map(([target, answer, kept]) => [target, [answer, kept]]))
}

describe('nobody changes somebody who may do more', () => {
  it.each(kinds)('%s removes whom they cover', async (actor) => {
    const refused = (target: Kind) =>
      owns(target) && !owns(actor)
        ? 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'
        : 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER'
    const expected = kinds.map((target) =>
      mayTouch(actor, target, 'member:delete')
        ? [target, ['done', 'gone']]
        : [target, [refused(target), target as string]],
    )
    const remove = (target: Kind) =>
      actors[actor].post('/organization/remove-member', {
        memberIdOrEmail: targets[target].memberId,
        organizationId: acme.id,
      })
    expect(await ofAll(remove)).toEqual(Object.fromEntries(expected))
  })

  it.each(kinds)('%s gives other roles to whom they cover', async (actor) => {
    const expected = kinds.map((target) =>
      mayTouch(actor, target, 'member:update')
        ? [target, ['done', 'member']]
        : [target, ['YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER', target as string]],
    )
    const demote = (target: Kind) =>
      actors[actor].post('/organization/update-member-role', {
        memberId: targets[target].memberId,
        role: 'member',
        organizationId: acme.id,
      })
    expect(await ofAll(demote)).toEqual(Object.fromEntries(expected))
  })
})
