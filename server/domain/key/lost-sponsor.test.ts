import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../db/connect.ts'
import { type Somebody, somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { type MadeKey, machine } from '../../testing/machines.ts'
import { done, found } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { makeRole } from '../../testing/role-ways.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()
let machineKey: MadeKey
let ci: Visitor
let guest: Somebody
let invitationId: string
let restore: () => Promise<void>
const acme = useMade(() => found(service))
/** Who is responsible for the machine. */
const sponsor = useMade(() => acme.join('admin'))
/** In the default team, and in none. */
const bob = useMade(() => acme.join('member', acme.teamId ?? undefined))
const carol = useMade(() => acme.join('member'))
beforeAll(async () => {
  await makeRole(acme.owner, 'editor', { team: ['create'] })
  machineKey = await done(sponsor.post('/key/create', { name: 'ci', organizationId: acme.id, role: 'admin' }))
  ci = machine(service, machineKey.token)
  guest = await somebody(service)
  await proveAddress(service.deps.sql, guest.email)
  invitationId = (await done(ci.post('/organization/invite-member', inAcme({ email: guest.email, role: 'admin' })))).id
  restore = await keepRows(service)
})
beforeEach(() => restore())

const inAcme = (more: object) => ({ organizationId: acme.id, ...more })
const ask = (call: string, input: () => object) => () => ci.post(`/organization/${call}`, input())
type Deed = readonly [name: string, act: () => Promise<Reply>]
const deeds: readonly Deed[] = [
  ['renames the organization', ask('update', () => inAcme({ data: { name: 'New' } }))],
  ['invites', ask('invite-member', () => inAcme({ email: 'eve@example.com', role: 'admin' }))],
  ['cancels an invitation', ask('cancel-invitation', () => ({ invitationId }))],
  ['removes a member', ask('remove-member', () => inAcme({ memberIdOrEmail: bob.memberId }))],
  ['changes a role', ask('update-member-role', () => inAcme({ memberId: bob.memberId, role: 'admin' }))],
  ['makes a role', ask('create-role', () => inAcme({ role: 'boss', permission: { member: ['create'] } }))],
  ['renames a role', ask('update-role', () => inAcme({ roleName: 'editor', data: { roleName: 'writer' } }))],
  ['deletes a role', ask('delete-role', () => inAcme({ roleName: 'editor' }))],
  ['makes a team', ask('create-team', () => inAcme({ name: 'Red' }))],
  ['renames a team', ask('update-team', () => ({ teamId: acme.teamId, data: inAcme({ name: 'Red' }) }))],
  ['puts a member into a team', ask('add-team-member', () => ({ teamId: acme.teamId, userId: carol.userId }))],
  ['takes a member out of a team', ask('remove-team-member', () => ({ teamId: acme.teamId, userId: bob.userId }))],
]

const removeSponsor = (tx: Sql) => tx`delete from members where id = ${sponsor.memberId}`
const banSponsor = (tx: Sql) => tx`update users set banned = true where id = ${sponsor.userId}`
const giveSponsor = (role: string) => (tx: Sql) =>
  tx`update members set roles = array[${role}] where id = ${sponsor.memberId}`

/** Holds the organization, for which every write waits; then lets `then` happen, and everything go on. */
async function whileHeld(act: () => Promise<Reply>, then: (tx: Sql) => PromiseLike<unknown>): Promise<Reply> {
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`select from organizations where id = ${acme.id} for no key update`
    asked = act()
    await untilWaiting(service)
    await then(tx as unknown as Sql)
  })
  return (await asked) as Reply
}

/** All that the deeds change. */
const state = () => service.deps.sql`
  select o.name, o.own_roles,
    (select jsonb_agg(to_jsonb(i) order by i.id) from invitations i where i.organization_id = o.id) as invitations,
    (select jsonb_agg(to_jsonb(t) order by t.id) from teams t where t.organization_id = o.id) as teams,
    (
      select jsonb_agg(to_jsonb(m) order by m.id) from members m
      where m.organization_id = o.id and m.id <> ${sponsor.memberId}
    ) as members
  from organizations o where o.id = ${acme.id}
`

describe.each(deeds)('a machine that %s', (_name, act) => {
  it('is let through while its sponsor stays, or gets other roles that suffice', async () => {
    const before = await state()
    expect((await whileHeld(act, giveSponsor('owner'))).status).toBe(200)
    expect(await state()).not.toEqual(before)
  })

  it.each([
    ['removed', removeSponsor],
    ['banned', banSponsor],
    ['demoted', giveSponsor('member')],
  ])('changes nothing when its sponsor is being %s', async (_way, lose) => {
    const before = await state()
    const { status, body } = await whileHeld(act, lose)
    expect([status, body.code, await state()]).toEqual([403, 'SPONSOR_MAY_NOT', before])
  })
})

describe('an invitation of a machine', () => {
  const accept = () => guest.post('/organization/accept-invitation', { invitationId })

  it.each([
    ['removed', removeSponsor],
    ['banned', banSponsor],
    ['demoted', giveSponsor('member')],
  ])('lets nobody in when its sponsor is being %s', async (_way, lose) => {
    const { status, body } = await whileHeld(accept, lose)
    expect([status, body.message]).toEqual([400, 'Inviter can no longer invite with this role'])
    expect((await state())[0]?.['members']).toHaveLength(4)
  })

  it('lets them in while its sponsor stays, or gets other roles that suffice', async () => {
    expect((await whileHeld(accept, giveSponsor('owner'))).status).toBe(200)
  })
})
