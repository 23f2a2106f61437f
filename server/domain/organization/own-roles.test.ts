import { beforeEach, describe, expect, it } from 'vitest'
import type { Actions, Roles } from '../../../shared/permissions.ts'
import { createApp } from '../../app.ts'
import { actingAs } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { machine, organizationKey } from '../../testing/machines.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { admit, done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { race, steady, won } from '../../testing/races.ts'
import { makeRole } from '../../testing/role-ways.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

const service = useTestService({ COOKIE_CACHE: 'on' })
let acme: Founded
let owner: Insider
let admin: Insider
beforeEach(async () => {
  acme = await found(service)
  owner = steady(acme.owner, service)
  admin = steady(await acme.join('admin'), service)
})

const inAcme = (more: object = {}) => ({ organizationId: acme.id, ...more })
const create = (person: Visitor, role: unknown, permission: unknown = {}) =>
  person.post('/organization/create-role', inAcme({ role, permission }))
const update = (person: Visitor, roleName: string, data: object) =>
  person.post('/organization/update-role', inAcme({ roleName, data }))
const remove = (person: Visitor, roleName: string) => person.post('/organization/delete-role', inAcme({ roleName }))
const may = async (person: Visitor, ...words: string[]) => {
  const permissions: Record<string, string[]> = {}
  for (const word of words) {
    const [resource = '', action = ''] = word.split(':')
    permissions[resource] = [...(permissions[resource] ?? []), action]
  }
  return (await done(person.post('/organization/has-permission', inAcme({ permissions })))).success
}
const namesIn = async (person: Visitor): Promise<string[]> =>
  (await done(person.get(`/organization/list-roles?organizationId=${acme.id}`))).map(
    (one: { role: string }) => one.role,
  )
const promote = (person: Visitor, { memberId }: Insider, role: string) =>
  person.post('/organization/update-member-role', inAcme({ memberId, role }))
const predefined = ['owner', 'admin', 'member']
const code = ({ status, body }: Reply) => [status, body?.code]

describe('a role of an organization', () => {
  it('is created, listed, read, changed, renamed and deleted', async () => {
    const made = await done(create(admin, 'Editor', { team: ['create', 'create'], member: [] }))
    expect(made).toMatchObject({
      success: true,
      roleData: {
        role: 'editor',
        organizationId: acme.id,
        permission: { team: ['create'], member: [] },
        updatedAt: null,
      },
      statements: { team: ['create'] },
    })
    expect(await namesIn(admin)).toEqual([...predefined, 'editor'])
    const read = await done(admin.get(`/organization/get-role?organizationId=${acme.id}&roleId=${made.roleData.id}`))
    expect(read).toEqual(made.roleData)
    await done(update(admin, 'EDITOR', { roleName: 'Writer', permission: { team: ['update'] } }))
    expect(await namesIn(admin)).toEqual([...predefined, 'writer'])
    await done(remove(admin, 'writer'))
    expect(await namesIn(admin)).toEqual(predefined)
  })

  it('counts wherever roles are given, and what it allows changes for all who have it', async () => {
    await makeRole(owner, 'editor')
    const ben = await acme.join('editor')
    expect([await may(ben, 'team:create'), await may(ben, 'team:update')]).toEqual([true, false])
    expect((await ben.post('/organization/create-team', inAcme({ name: 'Red' }))).status).toBe(200)
    await done(update(owner, 'editor', { permission: { team: ['update'] } }))
    expect([await may(ben, 'team:create'), await may(ben, 'team:update')]).toEqual([false, true])
    expect(code(await ben.post('/organization/create-team', inAcme({ name: 'Blue' })))[0]).toBe(403)
  })

  it('is kept by members and invitations when it is renamed', async () => {
    await makeRole(owner, 'editor')
    const ben = await acme.join('member,editor')
    const eve = await verifiedPerson(service)
    const invitationId = await acme.invite(eve.email, 'editor')
    await done(update(owner, 'editor', { roleName: 'writer' }))
    const role = await done(ben.get(`/organization/get-active-member-role?organizationId=${acme.id}`))
    expect([role, await may(ben, 'team:create')]).toEqual([{ role: 'member,writer' }, true])
    const { member } = await done(eve.post('/organization/accept-invitation', { invitationId }))
    expect(member.role).toBe('writer')
  })

  it('stays while somebody has it, which the refusal says', async () => {
    await makeRole(owner, 'editor')
    const ben = await acme.join('editor')
    const guest = `eve-${crypto.randomUUID()}@example.com`
    const invitationId = await acme.invite(guest, 'editor')
    await organizationKey({ ...acme, owner: acme.owner }, { name: 'nightly', role: 'editor' })
    const refused = await remove(owner, 'editor')
    expect(code(refused)).toEqual([400, 'ROLE_IS_ASSIGNED_TO_MEMBERS'])
    expect(refused.body.message).toContain(`${ben.email}, nightly, invitation of ${guest}.`)
    await done(owner.post('/organization/cancel-invitation', { invitationId }))
    await done(promote(owner, ben, 'member'))
    expect((await remove(owner, 'editor')).body.message).toContain('in use: nightly.')
  })

  it('is left out where only the roles of the settings are asked for, or none is named, whatever the active organization has', async () => {
    await makeRole(owner, 'editor')
    for (const query of ['predefined=true', `predefined=true&organizationId=${acme.id}`, 'organizationId='])
      expect(
        (await done(owner.get(`/organization/list-roles?${query}`))).map(({ role }: { role: string }) => role),
      ).toEqual(predefined)
  })

  it('is known to its members alone', async () => {
    await makeRole(owner, 'editor')
    const other = await found(service)
    expect((await done(other.owner.get('/organization/list-roles'))).length).toBe(predefined.length)
    for (const call of ['list-roles?', 'get-role?roleName=editor&'])
      expect((await other.owner.get(`/organization/${call}organizationId=${acme.id}`)).status).toBe(403)
    const invited = { email: 'x@example.com', role: 'editor', organizationId: other.id }
    expect(code(await other.owner.post('/organization/invite-member', invited))).toEqual([400, 'ROLE_NOT_FOUND'])
    await expect(admit(service, admin.email, { role: 'editor', organizationId: other.id })).rejects.toThrow('ROLE_NOT')
  })

  /** Somebody at a service with other roles in its settings. */
  const elsewhere = (person: Insider, roles: Roles, CREATOR_ROLE = 'owner') => {
    const changed = { ...service.deps.config, roles, CREATOR_ROLE }
    const there = createVisitor(createApp({ ...service.deps, config: changed }), changed)
    for (const [name, value] of person.cookies) there.cookies.set(name, value)
    return there
  }

  it('keeps its meaning when the settings take its name', async () => {
    const { roles } = service.deps.config
    await makeRole(owner, 'auditor', { organization: ['update'] })
    const ben = await acme.join('auditor')
    const there = elsewhere(ben, { ...roles, auditor: { team: ['create'] } })
    expect([await may(there, 'organization:update'), await may(there, 'team:create')]).toEqual([true, false])
    expect(await namesIn(there)).toEqual([...predefined, 'auditor'])
    const ownerThere = elsewhere(owner, { ...roles, auditor: { team: ['create'] } })
    await done(promote(owner, ben, 'member'))
    await done(remove(ownerThere, 'auditor'))
  })

  it('allows nothing that no role of the settings allows any more, and can still be deleted', async () => {
    await makeRole(owner, 'editor', { organization: ['update'], team: ['create'] })
    const ben = await acme.join('editor')
    const less = mapRoles(service.deps.config.roles, ({ team: _team, ...rest }) => rest)
    expect([await may(ben, 'team:create'), await may(elsewhere(ben, less), 'team:create')]).toEqual([true, false])
    const told = await elsewhere(ben, less).get(`/organization/get-role?roleName=editor&organizationId=${acme.id}`)
    expect(told.body.permission).toEqual({ organization: ['update'], team: [] })
    const unchanged = await done(update(elsewhere(owner, less), 'editor', { roleName: 'Editor' }))
    expect(unchanged.roleData).toEqual(told.body)
    expect(await may(elsewhere(ben, less), 'organization:update')).toBe(true)
    await done(promote(owner, ben, 'member'))
    await done(remove(elsewhere(owner, less), 'editor'))
  })

  it('makes nobody an owner by its name', async () => {
    const { roles } = service.deps.config
    await makeRole(owner, 'boss', { member: ['delete'] })
    const ben = await acme.join('boss')
    const there = elsewhere(ben, { ...roles, boss: roles['owner'] ?? {} }, 'boss')
    const removed = await there.post('/organization/remove-member', inAcme({ memberIdOrEmail: acme.owner.memberId }))
    expect(removed.status).toBe(401)
    expect((await promote(there, ben, 'owner')).status).toBe(403)
  })

  it('gets no name that somebody has from before', async () => {
    const ben = await acme.join('member')
    await service.deps.sql`update members set roles = '{member,ghost}' where id = ${ben.memberId}`
    expect(code(await create(owner, 'ghost', {}))).toEqual([400, 'ROLE_NAME_IS_ALREADY_TAKEN'])
    await makeRole(owner, 'editor')
    expect(code(await update(owner, 'editor', { roleName: 'Ghost' }))).toEqual([400, 'ROLE_NAME_IS_ALREADY_TAKEN'])
    await service.deps.sql`update members set roles = '{member}' where id = ${ben.memberId}`
    await done(update(owner, 'editor', { roleName: 'Ghost' }))
  })
})

const mapRoles = (roles: Roles, change: (actions: Actions) => Actions): Roles =>
  Object.fromEntries(Object.entries(roles).map(([name, actions]) => [name, change(actions)]))

describe('nobody gets more than they have', () => {
  it.each([
    { organization: ['delete'] },
    { organization: ['update', 'delete'] },
    { team: ['create'], organization: ['delete'] },
    { member: ['everything'] },
  ])('by a new role with %j', async (permission) => {
    expect(code(await create(admin, 'king', permission))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE'])
    expect(await namesIn(admin)).toEqual(predefined)
  })

  it('by changing a role, also one that they have themselves', async () => {
    await makeRole(owner, 'editor', { ac: ['update'], team: ['create'] })
    const ben = await acme.join('editor')
    const more = { permission: { ac: ['update'], team: ['create', 'update'] } }
    expect(code(await update(ben, 'editor', more))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE'])
    expect(code(await update(admin, 'editor', { permission: { organization: ['delete'] } }))[0]).toBe(403)
    await done(update(ben, 'editor', { permission: { team: ['create'] } }))
    expect(code(await update(ben, 'editor', more))[0]).toBe(403)
  })

  it('by weakening, renaming or deleting a role above their own', async () => {
    await makeRole(owner, 'closer', { organization: ['delete'] })
    expect(code(await update(admin, 'closer', { permission: {} }))[0]).toBe(403)
    expect(code(await update(admin, 'closer', { roleName: 'open' }))[0]).toBe(403)
    expect(code(await remove(admin, 'closer'))[0]).toBe(403)
    expect(await namesIn(admin)).toEqual([...predefined, 'closer'])
  })

  it('by giving a role above their own, to themselves or anybody', async () => {
    await makeRole(owner, 'closer', { organization: ['delete'] })
    const ben = await acme.join('member')
    for (const target of [admin, ben]) expect((await promote(admin, target, 'closer')).status).toBe(403)
    const invited = inAcme({ email: `x-${crypto.randomUUID()}@example.com`, role: 'closer' })
    expect((await admin.post('/organization/invite-member', invited)).status).toBe(403)
    const key = inAcme({ name: 'k', role: 'closer' })
    expect(code(await admin.post('/key/create', key))).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_GIVE_A_KEY_THIS_ROLE'])
    const strong = await acme.join('closer')
    expect((await promote(admin, strong, 'member')).status).toBe(403)
    const target = { memberIdOrEmail: strong.memberId }
    expect((await admin.post('/organization/remove-member', inAcme(target))).status).toBe(401)
  })

  it('by a name of the settings, or one that cannot be a name', async () => {
    await makeRole(owner, 'editor')
    await makeRole(owner, 'writer')
    for (const name of ['owner', 'OWNER', 'Admin', 'member', 'editor']) {
      expect(code(await create(owner, name))).toEqual([400, 'ROLE_NAME_IS_ALREADY_TAKEN'])
      expect(code(await update(owner, 'writer', { roleName: name }))).toEqual([400, 'ROLE_NAME_IS_ALREADY_TAKEN'])
    }
    for (const name of [
      '',
      ' ',
      '__proto__',
      '-x',
      '_x',
      'a,owner',
      'a owner',
      'оwner',
      'x'.repeat(65),
      'a\n',
      7,
      null,
    ])
      expect(code(await create(owner, name))).toEqual([400, 'VALIDATION_ERROR'])
    for (const name of ['owner', 'admin', 'member']) {
      expect(code(await update(owner, name, { permission: {} }))).toEqual([400, 'ROLE_NOT_FOUND'])
      expect(code(await remove(owner, name))).toEqual([400, 'CANNOT_DELETE_A_PRE_DEFINED_ROLE'])
    }
  })

  it('by what every object has', async () => {
    for (const name of ['constructor', 'tostring', 'hasownproperty', 'valueof']) {
      expect((await promote(owner, admin, name)).body.code).toBe('ROLE_NOT_FOUND')
      expect((await owner.get(`/organization/get-role?organizationId=${acme.id}&roleName=${name}`)).status).toBe(400)
      await makeRole(owner, name)
      const ben = await acme.join(name)
      expect([await may(ben, 'team:create'), await may(ben, 'team:delete')]).toEqual([true, false])
    }
    for (const resource of ['constructor', 'toString', 'hasOwnProperty'])
      expect(code(await create(owner, 'x', { [resource]: ['call'] }))).toEqual([400, 'INVALID_RESOURCE'])
    const raw = `{"organizationId":"${acme.id}","role":"x","permission":{"__proto__":{"team":["create"]}}}`
    const made = await done(owner.post('/organization/create-role', JSON.parse(raw)))
    expect(made.roleData.permission).toEqual({})
    const [row] = await service.deps
      .sql`select own_roles -> 'x' -> 'permission' as permission from organizations where id = ${acme.id}`
    expect(row).toEqual({ permission: {} })
  })

  it('by a definition of any size', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`r${n}`, ['create']]))
    expect(code(await create(owner, 'x', many))).toEqual([400, 'INVALID_RESOURCE'])
    await done(create(owner, 'x', { team: Array.from({ length: 150 }, () => 'create') }))
    const long = await create(admin, 'y', { team: Array.from({ length: 150 }, (_, n) => `a${n}`) })
    expect([long.status, long.text.length < 1000]).toEqual([403, true])
    const small = await service.sibling({ ROLE_LIMIT: '2' })
    const there = steady(acme.owner, small)
    await done(create(there, 'y'))
    expect(code(await create(there, 'z'))).toEqual([400, 'TOO_MANY_ROLES'])
  })

  it('by acting as somebody else', async () => {
    const { user, admin: acting } = await actingAs(service)
    await admit(service, user.email, { role: 'owner', organizationId: acme.id })
    expect(code(await create(acting, 'king'))).toEqual([403, 'NOT_ALLOWED_WHILE_IMPERSONATING'])
    expect((await acting.get(`/organization/get-role?organizationId=${acme.id}&roleName=owner`)).status).toBe(200)
  })

  it('by a role that has gone, in a session, its cached cookie or a key', async () => {
    await makeRole(owner, 'editor')
    const ben = await acme.join('editor')
    await ben.get('/get-session')
    const { token } = await organizationKey(acme, { role: 'editor', scopes: ['team:create'] })
    const make = (person: Visitor) => person.post('/organization/create-team', inAcme({ name: 'Red' }))
    expect([(await make(ben)).status, (await make(machine(service, token))).status]).toEqual([200, 200])
    await service.deps.sql`update organizations set own_roles = '{}' where id = ${acme.id}`
    expect([(await make(ben)).status, (await make(machine(service, token))).status]).toEqual([403, 403])
  })

  it('by a key: it is bounded by its sponsor', async () => {
    await makeRole(owner, 'maker', { ac: ['create', 'update'], team: ['create'], organization: ['delete'] })
    const scopes = ['ac:create', 'organization:delete', 'team:create']
    const { token } = await organizationKey(acme, { role: 'maker', scopes })
    const key = machine(service, token)
    expect((await create(key, 'first', { organization: ['delete'] })).status).toBe(200)
    const boss = await acme.join('owner')
    await done(promote(boss, acme.owner, 'admin'))
    expect((await create(key, 'second', { organization: ['delete'] })).status).toBe(403)
    expect((await create(key, 'third', { team: ['create'] })).status).toBe(200)
    expect(code(await update(key, 'third', {}))).toEqual([403, 'KEY_SCOPE_MISSING'])
  })
})

describe('of two who act at once', () => {
  it('one gives a role and one deletes it: nobody has a role that is none', enough, async () => {
    const ben = await acme.join('member')
    for (let round = 0; round < rounds; round += 1) {
      await makeRole(owner, 'editor')
      await race(
        () => promote(owner, ben, 'editor'),
        () => remove(admin, 'editor'),
      )
      const [member] = await service.deps.sql<{ roles: string[] }[]>`
        select roles from members where id = ${ben.memberId}
      `
      expect((await namesIn(owner)).includes('editor')).toBe(member?.roles.includes('editor'))
      await done(promote(owner, ben, 'member'))
      await remove(owner, 'editor')
    }
  })

  it('both create: one of the same name, and no role is lost', enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      expect(
        won(
          await race(
            () => create(owner, `same${round}`),
            () => create(admin, `same${round}`),
          ),
        ),
      ).toBe(1)
      expect(
        won(
          await race(
            () => create(owner, `a${round}`),
            () => create(admin, `b${round}`),
          ),
        ),
      ).toBe(2)
      const made = [`same${round}`, `a${round}`, `b${round}`]
      expect((await namesIn(owner)).toSorted()).toEqual([...predefined, ...made].toSorted())
      for (const name of made) await done(remove(owner, name))
    }
  })

  it('who waited decides on what is there now', async () => {
    await makeRole(owner, 'maker', { ac: ['create'], team: ['create'] })
    const ben = steady(await acme.join('maker'), service)
    let asked: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for no key update`
      asked = create(ben, 'red', { team: ['create'] })
      await untilWaiting(service)
      await tx`
        update organizations set own_roles = jsonb_set(own_roles, '{maker,permission}', '{"ac": ["create"]}')
        where id = ${acme.id}
      `
    })
    expect((await asked)?.status).toBe(403)
  })

  it('an invitation promises a role that gets stronger before it is accepted', async () => {
    await makeRole(owner, 'editor')
    const eve = await verifiedPerson(service)
    const invited = inAcme({ email: eve.email, role: 'editor' })
    const { id: invitationId } = await done(admin.post('/organization/invite-member', invited))
    await done(update(owner, 'editor', { permission: { organization: ['delete'] } }))
    expect((await eve.post('/organization/accept-invitation', { invitationId })).status).toBe(400)
  })
})

it('is in the trail, with what it allows', async () => {
  await makeRole(owner, 'editor')
  await done(update(owner, 'editor', { roleName: 'writer' }))
  await done(remove(owner, 'writer'))
  const rows = await service.deps.sql`
    select event, details from audit_events
    where organization_id = ${acme.id} and event like 'organization-role-%' order by created_at, id
  `
  expect(rows.map(({ event, details }) => [event, details])).toEqual([
    ['organization-role-created', { role: 'editor', permissions: 'team:create' }],
    ['organization-role-updated', { from: 'editor', to: 'writer', permissions: 'team:create' }],
    ['organization-role-deleted', { role: 'writer' }],
  ])
})
