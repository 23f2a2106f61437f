import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sql } from '../../db/connect.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { found, type Insider } from '../../testing/organizations.ts'
import { steady } from '../../testing/races.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
/** Who acts. */
let ann: Insider
/** In the default team, and in none. */
let bob: Insider
let carol: Insider
let invitationId: string
let restore: () => Promise<void>
const acme = useMade(() => found(service))
beforeAll(async () => {
  ann = steady(await acme.join('admin'), service)
  bob = await acme.join('member', acme.teamId ?? undefined)
  carol = await acme.join('member')
  invitationId = await acme.invite('dave@example.com')
  restore = await keepRows(service)
})
beforeEach(() => restore())

type Deed = readonly [name: string, act: () => Promise<Reply>]
const placing = (member: Insider) => ({ teamId: acme.teamId, userId: member.userId })
const deeds: readonly Deed[] = [
  [
    'renames the organization',
    () => ann.post('/organization/update', { organizationId: acme.id, data: { name: 'New', slug: 'new' } }),
  ],
  ['cancels an invitation', () => ann.post('/organization/cancel-invitation', { invitationId })],
  [
    'renames a team',
    () =>
      ann.post('/organization/update-team', { teamId: acme.teamId, data: { name: 'New', organizationId: acme.id } }),
  ],
  ['puts a member into a team', () => ann.post('/organization/add-team-member', placing(carol))],
  ['takes a member out of a team', () => ann.post('/organization/remove-team-member', placing(bob))],
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

/** Takes only what a write changes, so that the write already has its locks when it waits. */
async function whileRowsHeld(act: () => Promise<Reply>, then: () => Promise<Reply>): Promise<readonly Reply[]> {
  const asked: Promise<Reply>[] = []
  await service.deps.sql.begin(async (tx) => {
    await tx`select from members where user_id in (${bob.userId}, ${carol.userId}) for update`
    for (const table of ['teams', 'invitations'])
      await tx`select from ${tx(table)} where organization_id = ${acme.id} for update`
    asked.push(act())
    await untilWaiting(service)
    asked.push(then())
    await untilWaiting(service, 2)
  })
  return Promise.all(asked)
}

/** All that the deeds change. */
const state = () => service.deps.sql`
  select o.name, o.slug, i.status, t.name as team,
    (select count(*)::integer from team_members tm where tm.team_id = t.id) as placed,
    (select count(*)::integer from audit_events) as events
  from organizations o
  join invitations i on i.organization_id = o.id
  join teams t on t.organization_id = o.id
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

describe.each(deeds.slice(1))('a member who %s', (_name, act) => {
  it('is demoted only once that is done', async () => {
    const demotion = { memberId: ann.memberId, role: 'member', organizationId: acme.id }
    const replies = await whileRowsHeld(act, () => acme.owner.post('/organization/update-member-role', demotion))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('an owner who deletes the organization', () => {
  const deleteIt = () => acme.owner.post('/organization/delete', { organizationId: acme.id })
  const define = (name: string) => (tx: Sql) =>
    tx`update organizations set own_roles = ${tx.json({ [name]: { id: 'r', permission: {} } })} where id = ${acme.id}`

  it('is refused as ever when the organization takes the permission from their role', async () => {
    const reply = await whileHeld(deleteIt, define('owner'))
    expect([reply.status, reply.body.code]).toEqual([403, (await deleteIt()).body.code])
    expect(await state()).toHaveLength(1)
  })

  it('goes on when the organization makes another role', async () => {
    expect((await whileHeld(deleteIt, define('clerk'))).status).toBe(200)
    expect(await state()).toEqual([])
  })
})
