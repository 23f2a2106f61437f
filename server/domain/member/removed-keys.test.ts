import { beforeEach, describe, expect, it } from 'vitest'
import { holder, isAlive, keyAt, machine } from '../../testing/machines.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { race } from '../../testing/races.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService()

let acme: Founded
let admin: Insider
let key: { readonly id: string; readonly token: string }
let trustId: string
beforeEach(async () => {
  acme = await found(service)
  admin = await acme.join('admin')
  key = await done(createKey())
  const claims = { project_path: `acme/${crypto.randomUUID()}` }
  const rule = { name: 'site', role: 'admin', organizationId: acme.id, issuer: 'https://gitlab.com', claims }
  trustId = (await done(admin.post('/key/trust/create', rule))).id
})

const createKey = () => admin.post('/key/create', { name: 'deploy', role: 'admin', organizationId: acme.id })
const remove = (person: Visitor, keys?: string) =>
  person.post('/organization/remove-member', { memberIdOrEmail: admin.memberId, organizationId: acme.id, keys })
const told = async () => {
  const rows = await service.deps.sql`
    select event, actor_id, target, details from audit_events
    where organization_id = ${acme.id} and event in ('key-revoked', 'trust-deleted', 'key-adopted', 'trust-adopted')
    order by event
  `
  return rows.map((row) => ({ ...row }))
}
const left = async () => {
  const [row] = await service.deps.sql`select count(*)::integer as n from users where organization_id = ${acme.id}`
  return row?.['n']
}

describe('removing a member', () => {
  it('leaves their keys and rules as they are, without power, and says how many', async () => {
    expect((await done(remove(acme.owner))).machines).toBe(2)
    expect([await left(), await told()]).toEqual([2, []])
    expect(await keyAt(acme.owner, key.id)).toMatchObject({ authority: 'none', sponsorId: admin.userId })
  })

  it('ends them with it where that is asked, each told', async () => {
    expect((await done(remove(acme.owner, 'revoke'))).machines).toBe(2)
    expect([await left(), await isAlive(service, key.token)]).toEqual([0, false])
    const { userId: actorId } = acme.owner
    expect(await told()).toEqual([
      { event: 'key-revoked', actorId, target: key.id, details: {} },
      { event: 'trust-deleted', actorId, target: trustId, details: {} },
    ])
  })

  it('makes the remover responsible for them where that is asked, each told', async () => {
    expect((await done(remove(acme.owner, 'adopt'))).machines).toBe(2)
    expect(await left()).toBe(2)
    expect(await keyAt(acme.owner, key.id)).toMatchObject({ authority: 'full', sponsorId: acme.owner.userId })
    expect((await machine(service, key.token).get('/organization/list')).status).toBe(200)
    const { userId: actorId } = acme.owner
    const details = { from: admin.userId }
    expect(await told()).toEqual([
      { event: 'key-adopted', actorId, target: key.id, details },
      { event: 'trust-adopted', actorId, target: trustId, details },
    ])
  })

  it('touches the keys of nobody else', async () => {
    const other = await done(acme.owner.post('/key/create', { name: 'other', role: 'admin', organizationId: acme.id }))
    expect((await done(remove(acme.owner, 'revoke'))).machines).toBe(2)
    expect(await isAlive(service, other.token)).toBe(true)
  })

  it('does nothing at all where a key may do more than the one who would end or adopt it, or a machine would', async () => {
    await service.deps.sql`update members set roles = '{member}' where id = ${admin.memberId}`
    const small = await holder(service, acme, { member: ['create', 'delete'] })
    expect((await remove(small, 'adopt')).status).toBe(403)
    expect((await remove(small, 'revoke')).body.code).toBe('YOU_ARE_NOT_ALLOWED_TO_REVOKE_THIS_KEY')
    const { token } = await done(acme.owner.post('/key/create', { name: 'm', role: 'admin', organizationId: acme.id }))
    expect((await remove(machine(service, token), 'adopt')).body.code).toBe('MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL')
    expect([await left(), await told()]).toEqual([3, []])
    expect((await keyAt(acme.owner, key.id)).sponsorId).toBe(admin.userId)
    expect((await done(remove(machine(service, token), 'revoke'))).machines).toBe(2)
  })

  it('is no adoption by the one who goes', async () => {
    const reply = await remove(admin, 'adopt')
    expect([reply.status, reply.body.code]).toEqual([
      403,
      'YOU_CAN_ADOPT_ONLY_KEYS_AND_TRUST_RULES_THAT_YOU_COULD_CREATE_YOURSELF',
    ])
    expect([await left(), await told()]).toEqual([2, []])
    expect((await done(remove(admin, 'revoke'))).machines).toBe(2)
  })

  it('while they make another key leaves none that is not revoked', enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const member = await acme.join('admin')
      const [made, removed] = await race(
        () => member.post('/key/create', { name: 'late', role: 'admin', organizationId: acme.id }),
        () =>
          acme.owner.post('/organization/remove-member', {
            memberIdOrEmail: member.memberId,
            organizationId: acme.id,
            keys: 'revoke',
          }),
      )
      expect(removed?.status).toBe(200)
      expect(removed?.body.machines).toBe(made?.status === 200 ? 1 : 0)
      const rows = await service.deps.sql`select id from users where sponsor_id = ${member.userId}`
      expect([...rows]).toEqual([])
    }
  })
})
