import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../db/connect.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { type Founded, found, type Insider } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { keepRows } from '../../testing/rows.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Reply } from '../../testing/visitor.ts'

let service: TestService
let acme: Founded
/** Who acts. */
let ann: Insider
let invitationId: string
let restore: () => Promise<void>
beforeAll(async () => {
  service = await createTestService()
  acme = await found(service)
  ann = steady(await acme.join('admin'), service)
  invitationId = await acme.invite('dave@example.com')
  restore = await keepRows(service)
})
beforeEach(() => restore())
afterAll(() => service.stop())

type Deed = readonly [name: string, act: () => Promise<Reply>]
const deeds: readonly Deed[] = [
  [
    'renames the organization',
    () => ann.post('/organization/update', { organizationId: acme.id, data: { name: 'New', slug: 'new' } }),
  ],
  ['cancels an invitation', () => ann.post('/organization/cancel-invitation', { invitationId })],
]

const removeAnn = (tx: Sql) => tx`delete from members where id = ${ann.memberId}`
const giveAnn = (role: string) => (tx: Sql) => tx`update members set roles = array[${role}] where id = ${ann.memberId}`

/** Takes every row that a write may want, in the order of all writes; then sends it, and goes on while it waits. */
async function whileHeld(act: () => Promise<Reply>, then: (tx: Sql) => PromiseLike<unknown>): Promise<Reply> {
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`select from organizations where id = ${acme.id} for update`
    for (const table of ['members', 'teams', 'invitations'])
      await tx`select from ${tx(table)} where organization_id = ${acme.id} for update`
    asked = act()
    await untilWaiting(service)
    await then(tx as unknown as Sql)
  })
  return (await asked) as Reply
}

/** All that the deeds change. */
const state = () => service.deps.sql`
  select o.name, o.slug, i.status, (select count(*)::integer from audit_events) as events
  from organizations o
  join invitations i on i.organization_id = o.id
  where o.id = ${acme.id}
`

describe.each(deeds)('a member who %s', (_name, act) => {
  it('is let through by the role of before', async () => {
    const before = await state()
    expect((await whileHeld(act, async () => undefined)).status).toBe(200)
    expect(await state()).not.toEqual(before)
  })

  it.each([
    ['removed', removeAnn],
    ['demoted', giveAnn('member')],
  ])('changes nothing when they are being %s', async (_way, lose) => {
    const before = await state()
    const reply = await whileHeld(act, lose)
    expect([reply.status, await state()]).toEqual([(await act()).status, before])
    expect(reply.status).not.toBe(200)
  })

  it('is refused as ever when they are being demoted', async () => {
    const reply = await whileHeld(act, giveAnn('member'))
    expect([reply.status, reply.body.code]).toEqual([403, (await act()).body.code])
  })

  it('goes on when they are being promoted', async () => {
    expect((await whileHeld(act, giveAnn('owner'))).status).toBe(200)
  })

  it('changes nothing when the organization takes the permissions from their role', async () => {
    const [before, none] = [await state(), { admin: { id: 'r', permission: {} } }]
    const define = (tx: Sql) => tx`update organizations set own_roles = ${tx.json(none)} where id = ${acme.id}`
    const reply = await whileHeld(act, define)
    expect([reply.status, await state()]).toEqual([403, before])
  })
})
