import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilWaiting } from '../../testing/locks.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { createSecurityLog } from '../../testing/security-log.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Reply } from '../../testing/visitor.ts'

const log = createSecurityLog()
let service: TestService
let acme: Founded
let bob: Insider
let invitationId: string
beforeAll(async () => {
  service = log.watch(await createTestService())
})
afterAll(() => service.stop())
beforeEach(async () => {
  acme = await found(service)
  bob = await acme.join('member')
  invitationId = await acme.invite('guest@example.com')
})

const post = (call: string, body: object) =>
  acme.owner.post(`/organization/${call}`, { organizationId: acme.id, ...body })
const join = () => post('add-team-member', { teamId: acme.teamId, userId: bob.userId })
const cancel = () => post('cancel-invitation', { invitationId })

/** Events of the organization, as often as they are told. */
const trail = async () =>
  (
    await service.deps.sql<{ event: string }[]>`
      select event from audit_events, generate_series(1, count) where organization_id = ${acme.id} order by event
    `
  ).map(({ event }) => event)

/** The act, and what was done before it. */
const acts: Record<string, readonly [act: () => Promise<Reply>, before?: () => Promise<Reply>]> = {
  'an organization is updated with nothing': [() => post('update', { data: {} })],
  'a team is updated with nothing': [
    () => acme.owner.post('/organization/update-team', { teamId: acme.teamId, data: { organizationId: acme.id } }),
  ],
  'a member is added to a team that has them': [join, join],
  'an invitation is canceled once more': [cancel, cancel],
}

describe('nothing is told when nothing is changed:', () => {
  it.each(Object.keys(acts))('%s', async (name) => {
    const [act, before] = acts[name]!
    const first = before && (await done(before()))
    const kept = await trail()
    const { reply, events } = await log.told(act)
    expect([reply.status, events, await trail()]).toEqual([200, [], kept])
    expect(first ?? reply.body).toEqual(reply.body)
  })

  it.each<[string, string, () => Promise<Reply>]>([
    ['a member is added to a team', 'team-member-added', join],
    ['an invitation is canceled', 'invitation-canceled', cancel],
  ])('%s twice at once, which is told once', async (_name, event, act) => {
    let replies: Promise<readonly Reply[]> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for update`
      replies = Promise.all([act(), act()])
      await untilWaiting(service, 2)
    })
    expect((await replies)?.map(({ status }) => status)).toEqual([200, 200])
    expect((await trail()).filter((told) => told === event)).toEqual([event])
  })
})

it('rights are needed to change nothing, too', async () => {
  const refused = await Promise.all([
    bob.post('/organization/update', { organizationId: acme.id, data: {} }),
    bob.post('/organization/update-team', { teamId: acme.teamId, data: { organizationId: acme.id } }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([403, 403])
})
