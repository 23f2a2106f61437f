import { beforeAll, describe, expect, it } from 'vitest'
import { verifiedPerson } from '../../testing/mailed.ts'
import { admit, customRoles, type Founded, found, type Insider, serverHeaders } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { inTurn } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let restore: () => Promise<void>
const acme = useMade(() => found(service))
const admin = useMade(() => acme.join('admin'))
const bob = useMade(() => acme.join('member'))
beforeAll(async () => {
  restore = await keepRows(service)
})

const someone = () => `dave-${crypto.randomUUID()}@example.com`
const invite = (person: Insider, role: unknown) =>
  person.post('/organization/invite-member', { email: someone(), role, organizationId: acme.id })
const promote = (person: Insider, { memberId }: Insider, role: unknown) =>
  person.post('/organization/update-member-role', { memberId, role, organizationId: acme.id })
const add = async (role: unknown) => {
  const { email } = await verifiedPerson(service)
  const [user] = await service.deps.sql`select id from users where email = ${email}`
  return service
    .visitor()
    .post('/organization/add-member', { userId: user?.id, role, organizationId: acme.id }, serverHeaders)
}
const rolesNow = async () =>
  [...(await service.deps.sql`select id, roles from members order by id`)].map((row) => ({ ...row }))

describe('a role that is', () => {
  const unknown: readonly unknown[] = [
    '',
    ' ',
    ',',
    ','.repeat(10_000),
    [],
    [''],
    ['member', ''],
    'member,',
    ',member',
    'member,,admin',
    'OWNER',
    'Owner',
    'king',
    'member,king',
    ['member', 'king'],
    '__proto__',
    'constructor',
    'toString',
    'owner\u200b',
    'оwner',
    'owner;member',
    'owner member',
    'owner|member',
  ]

  it.each(unknown.map((role) => [JSON.stringify(role).slice(0, 40), role] as const))(
    '%s is none, for whoever gives it',
    async (_name, role) => {
      const none = { status: 400, body: { code: 'ROLE_NOT_FOUND', message: 'Role not found' } }
      const before = await rolesNow()
      expect(await invite(acme.owner, role)).toMatchObject(none)
      expect(await promote(acme.owner, bob, role)).toMatchObject(none)
      expect(await rolesNow()).toEqual(before)
      expect(await add(role)).toMatchObject(none)
    },
  )

  const hidden: readonly unknown[] = [
    'owner',
    'member,owner',
    'owner,member',
    ['member', 'owner'],
    ['member,owner'],
    ['member', 'admin,owner'],
    ' owner',
    'owner ',
    '\towner\n',
    'member , owner',
    ['  owner  '],
  ]

  it.each(hidden)('%j is that of an owner, which an admin gives to nobody', async (role) => {
    const before = await rolesNow()
    expect(await invite(admin, role)).toMatchObject({
      status: 403,
      body: { message: 'you are not allowed to invite user with this role' },
    })
    for (const target of [admin, bob])
      expect(await promote(admin, target, role)).toMatchObject({
        status: 403,
        body: { message: 'You are not allowed to update this member' },
      })
    expect(await rolesNow()).toEqual(before)
  })

  it.each(hidden)('%j is stored by an owner as its names, trimmed and each once', async (role) => {
    await restore()
    const names = [
      ...new Set(
        [role]
          .flat()
          .join(',')
          .split(',')
          .map((name) => name.trim()),
      ),
    ].join(',')
    expect((await invite(acme.owner, role)).body.role).toBe(names)
    expect((await promote(acme.owner, bob, role)).body.role).toBe(names)
    expect((await add(role)).body.role).toBe(names)
  })

  it('given twice is held once', async () => {
    await restore()
    expect((await promote(acme.owner, bob, ['admin', 'member', 'admin,member'])).body.role).toBe('admin,member')
  })
})

describe('of actors and targets', () => {
  const kinds = ['owner', 'owner,admin', 'admin', 'member,admin', 'member'] as const
  type Kind = (typeof kinds)[number]
  const isOwner = (kind: string) => kind.split(',').includes('owner')
  const manages = (kind: string) => kind !== 'member'
  let actors: Record<Kind, Insider>
  let targets: Record<Kind, Insider>
  let restoreAll: () => Promise<void>
  beforeAll(async () => {
    const joined = async () =>
      Object.fromEntries(
        await Promise.all(kinds.map(async (kind) => [kind, steady(await acme.join(kind), service)] as const)),
      ) as Record<Kind, Insider>
    actors = await joined()
    targets = await joined()
    restoreAll = await keepRows(service)
  })
  const cells = kinds.flatMap((actor) => kinds.map((target) => ({ actor, target })))
  const statusOf = ({ status, body }: Reply) => (status === 200 ? 200 : `${status} ${body.code}`)

  it.each(inTurn(cells))('$actor removes $target by the rules', async ({ actor, target }) => {
    await restoreAll()
    const asked = { memberIdOrEmail: targets[target].memberId, organizationId: acme.id }
    const expected = isOwner(target)
      ? isOwner(actor)
        ? 200
        : '400 YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'
      : manages(actor)
        ? 200
        : '401 YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER'
    expect(statusOf(await actors[actor].post('/organization/remove-member', asked))).toBe(expected)
  })

  it.each(inTurn(cells.flatMap((cell) => kinds.map((role) => ({ ...cell, role })))))(
    '$actor makes $target a $role by the rules',
    async ({ actor, target, role }) => {
      await restoreAll()
      const isAllowed = isOwner(actor) || (manages(actor) && !isOwner(target) && !isOwner(role))
      expect(statusOf(await promote(actors[actor], targets[target], role))).toBe(
        isAllowed ? 200 : '403 YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
      )
    },
  )
})

describe('with roles of the config file', () => {
  const roles = customRoles
  let firm: Founded
  let people: Record<string, Insider>
  const custom = useMade(() => service.sibling())
  beforeAll(async () => {
    Object.assign(custom.deps.config, { roles, CREATOR_ROLE: 'founder' })
    firm = await found(custom)
    const names = ['admin', 'recruiter', 'clerk', 'accountant', 'member', 'recruiter,clerk']
    people = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await firm.join(name)] as const)))
  })

  it('the creator has the role that the settings say, and its rights', async () => {
    const { body } = await firm.owner.get('/organization/get-active-member')
    expect(body.role).toBe('founder')
    const sole = await found(custom)
    expect((await sole.owner.post('/organization/leave', { organizationId: sole.id })).body.message).toBe(
      'You cannot leave the organization as the only owner',
    )
  })

  // Each grants what they hold, and no permission more.
  it.each([
    ['founder', 'founder', true],
    ['founder', 'accountant', true],
    ['admin', 'founder', false],
    ['admin', 'accountant', false],
    ['admin', 'recruiter', true],
    ['admin', 'clerk', false],
    ['admin', ['admin', 'clerk'], false],
    ['recruiter', 'member', true],
    ['recruiter', 'recruiter', true],
    ['recruiter', 'admin', false],
    ['recruiter', 'clerk', false],
    ['recruiter,clerk', 'clerk', true],
    ['recruiter,clerk', 'accountant', false],
  ])('%s gives %s: %s', async (actor, role, isAllowed) => {
    const person = actor === 'founder' ? firm.owner : people[actor]
    const asked = { email: someone(), role, organizationId: firm.id }
    expect((await person?.post('/organization/invite-member', asked))?.status).toBe(isAllowed ? 200 : 403)
    const { memberId } = await firm.join('member')
    const change = { memberId, role, organizationId: firm.id }
    expect((await person?.post('/organization/update-member-role', change))?.status).toBe(isAllowed ? 200 : 403)
  })

  it('who may do nothing with members gives nothing', async () => {
    const asked = { email: someone(), role: 'member', organizationId: firm.id }
    for (const name of ['clerk', 'accountant', 'member'])
      expect((await people[name]?.post('/organization/invite-member', asked))?.status).toBe(403)
  })

  it('the default ones are gone', async () => {
    const asked = { email: someone(), role: 'owner', organizationId: firm.id }
    expect((await firm.owner.post('/organization/invite-member', asked)).body.message).toBe('Role not found')
    await expect(admit(custom, someone(), { role: 'owner', organizationId: firm.id })).rejects.toThrow('400')
    expect((await firm.owner.get('/organization/list-roles')).body.map(({ role }: { role: string }) => role)).toEqual(
      Object.keys(roles),
    )
  })

  it('a member whose role is gone from the file may do nothing', async () => {
    await service.deps.sql`update members set roles = '{vanished,toString}' where id = ${people.member?.memberId ?? ''}`
    const permissions = { billing: ['read'] }
    expect((await people.member?.post('/organization/has-permission', { permissions }))?.body.success).toBe(false)
    expect((await people.member?.get('/organization/list-members'))?.status).toBe(200)
  })
})
