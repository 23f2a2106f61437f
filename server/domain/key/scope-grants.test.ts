import { beforeEach, describe, expect, it } from 'vitest'
import { type Actions, permissionsIn } from '../../../shared/permissions.ts'
import { createApp } from '../../app.ts'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { makeRole } from '../../testing/role-ways.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

const service = useTestService()
let acme: Founded
let bob: Insider
beforeEach(async () => {
  acme = await found(service)
  bob = await acme.join('member')
})

const inAcme = (more: object) => ({ organizationId: acme.id, ...more })
const newAddress = () => `${crypto.randomUUID()}@example.com`
const invite = (by: Visitor, role: string, more: object = {}) =>
  by.post('/organization/invite-member', inAcme({ email: newAddress(), role, ...more }))
const promote = (by: Visitor, role: string) =>
  by.post('/organization/update-member-role', inAcme({ memberId: bob.memberId, role }))
const createRole = (by: Visitor, permission: Actions) =>
  by.post('/organization/create-role', inAcme({ role: 'editor', permission }))
const updateRole = (by: Visitor, data: object) =>
  by.post('/organization/update-role', inAcme({ roleName: 'editor', data }))

/** A key of the owner, and one of the organization. */
const personal = async (...scopes: string[]) => machine(service, (await ownKey(acme.owner, { scopes })).token)
const shared = async (...scopes: string[]) => machine(service, (await organizationKey(acme, { scopes })).token)

/** Whether it was done, or the scope that was missing. */
const told = ({ status, body }: Reply): string => {
  if (status === 200) return 'done'
  return body.code === 'KEY_SCOPE_MISSING' ? body.message : `${status} ${body.code}`
}
const lacks = (scope: string) => `This key lacks the scope ${scope}`
const ofAdmin = () => permissionsIn(service.deps.config.roles['admin'] ?? {})
const rolesOfBob = async () => {
  const [row] = await service.deps.sql`select roles from members where id = ${bob.memberId}`
  return row?.['roles']
}

describe.each([
  ['of a person', personal],
  ['of an organization', shared],
])('a key %s with scopes', (_whose, keyWith) => {
  it('invites only to roles within them, and to those that allow nothing', async () => {
    const narrow = await keyWith('invitation:create')
    expect(told(await invite(narrow, 'admin'))).toBe(lacks('organization:update'))
    expect(told(await invite(narrow, 'member,admin'))).toBe(lacks('organization:update'))
    expect(told(await invite(narrow, 'member'))).toBe('done')
    expect(told(await invite(await keyWith(...ofAdmin()), 'admin'))).toBe('done')
  })

  it('replaces no open invitation to a role beyond them', async () => {
    const email = newAddress()
    await done(invite(acme.owner, 'admin', { email }))
    const narrow = await keyWith('invitation:create')
    expect(told(await invite(narrow, 'member', { email, resend: true }))).toBe(lacks('organization:update'))
  })

  it('gives members only roles within them', async () => {
    const narrow = await keyWith('member:update')
    expect(told(await promote(narrow, 'admin'))).toBe(lacks('organization:update'))
    expect(await rolesOfBob()).toEqual(['member'])
    expect(told(await promote(await keyWith(...ofAdmin()), 'admin'))).toBe('done')
    expect(told(await promote(narrow, 'member'))).toBe('done')
  })

  it('makes and changes only roles within them', async () => {
    const narrow = await keyWith('ac:create', 'ac:update', 'team:create')
    expect(told(await createRole(narrow, { team: ['create'], member: ['create'] }))).toBe(lacks('member:create'))
    expect(told(await createRole(narrow, { team: ['create'] }))).toBe('done')
    expect(told(await updateRole(narrow, { permission: { team: ['create', 'delete'] } }))).toBe(lacks('team:delete'))
    expect(told(await updateRole(narrow, { permission: { ac: ['create'] } }))).toBe('done')
    await done(updateRole(acme.owner, { permission: { member: ['create'] } }))
    expect(told(await updateRole(narrow, { permission: {} }))).toBe(lacks('member:create'))
  })
})

it('a key without scopes gives what its roles and its person allow', async () => {
  const mine = machine(service, (await ownKey(acme.owner)).token)
  const ours = machine(service, (await organizationKey(acme)).token)
  expect([await invite(mine, 'owner'), await promote(mine, 'owner')].map(told)).toEqual(['done', 'done'])
  expect([await invite(ours, 'admin'), await createRole(ours, { team: ['create'] })].map(told)).toEqual([
    'done',
    'done',
  ])
})

it('a key with scopes of its owner makes no owner', async () => {
  const narrow = await personal('invitation:create', 'member:update')
  expect([await invite(narrow, 'owner'), await promote(narrow, 'owner')].map(told)).toEqual(
    Array(2).fill(lacks('organization:update')),
  )
  expect(told(await invite(await personal(...ofAdmin()), 'owner'))).toBe(lacks('organization:delete'))
})

it('a role that may allow again what the settings took away counts with that', async () => {
  await makeRole(acme.owner, 'clerk', { team: ['delete'] })
  const { config } = service.deps
  const roles = Object.fromEntries(Object.entries(config.roles).map(([name, { team: _team, ...rest }]) => [name, rest]))
  const there = createVisitor(createApp({ ...service.deps, config: { ...config, roles } }), config)
  const { token } = await ownKey(acme.owner, { scopes: ['invitation:create'] })
  const asked = inAcme({ email: newAddress(), role: 'clerk' })
  const reply = await there.post('/organization/invite-member', asked, { authorization: `Bearer ${token}` })
  expect(told(reply)).toBe(lacks('team:delete'))
})
