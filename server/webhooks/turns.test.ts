import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Sql } from '../db/connect.ts'
import { claimWebhooks, lockFeed, wakeWebhooks } from '../db/webhook-feed.ts'
import { adminOf } from '../testing/admins.ts'
import { done, type Founded, found } from '../testing/organizations.ts'
import { hookAt, makeTeams, startWebhookTest, targetsOf, type WebhookTest } from '../testing/webhooks.ts'
import { type WebhookTimes, webhookTimes } from './deliver.ts'
import type { WebhookSender } from './sender.ts'

// Each test starts its own sender, after it has made what the first turn finds.

let test: WebhookTest
let acme: Founded
let senders: WebhookSender[] = []
beforeAll(async () => {
  test = await startWebhookTest({ MAXIMUM_TEAMS: '500' })
  acme = await found(test.service)
})
afterEach(async () => {
  await Promise.all(senders.map((sender) => sender.stop()))
  senders = []
  await test.service.deps.sql`delete from webhooks`
})
afterAll(() => test.stop())

const ofTeams = { events: ['team'] }
function send(times: Partial<WebhookTimes> = {}): WebhookSender {
  const sender = test.send({ grace: 0.2, ...times })
  senders.push(sender)
  return sender
}
const viewOf = (webhookId: string) => done(acme.owner.get(`/webhook/view?webhookId=${webhookId}`))

it('tells more events than it reads at once, and then one that came while it told the first of them', async () => {
  const receiver = await test.receive()
  await hookAt(receiver, acme, ofTeams)
  const teams = await makeTeams(acme, 45)
  const sender = send()
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
  await sender.stop()
  const more = await makeTeams(acme, 25)
  receiver.answer = async () => {
    receiver.answer = () => 204
    more.push(...(await makeTeams(acme, 1)))
    return 204
  }
  send()
  await expect.poll(() => receiver.taken.length).toBe(teams.length + 26)
  expect(targetsOf(receiver.taken, 'team-created')).toEqual([...teams, ...more])
})

it('claims what is due longest, one of each organization, and those of the service first', async () => {
  const { sql } = test.service.deps
  const [firm, admin, receiver] = [await found(test.service), await adminOf(test.service), await test.receive()]
  const hooks = [
    [await done(admin.post('/webhook/create', { url: receiver.url })), 1],
    [await hookAt(receiver, firm), 4],
    [await hookAt(receiver, acme), 3],
    [await hookAt(receiver, acme), 2],
  ] as const
  for (const [{ id }, minutes] of hooks)
    await sql`update webhooks set next_at = now() - make_interval(mins => ${minutes}) where id = ${id}`
  const claimed: (string | undefined)[] = []
  for (const [{ id: lease }] of hooks)
    claimed.push((await claimWebhooks(sql, { lease, seconds: 60, most: 1, busy: [] }))[0]?.id)
  expect(claimed).toEqual(hooks.map(([{ id }]) => id))
})

describe('after a failure', () => {
  it.each([
    [1, 10],
    [2, 20],
    [5, 160],
    [10, 3600],
    [41, 3600],
  ])('number %d the next attempt is about %d seconds away', async (failures, seconds) => {
    const receiver = await test.receive()
    receiver.answer = () => 503
    const { id } = await hookAt(receiver, acme)
    await test.service.deps.sql`update webhooks set attempts = ${failures - 1} where id = ${id}`
    const { retry, longestRetry } = webhookTimes
    send({ retry, longestRetry })
    await expect.poll(async () => (await viewOf(id)).attempts).toBe(failures)
    const { failingSince, nextAttemptAt } = await viewOf(id)
    const share = (Date.parse(nextAttemptAt) - Date.parse(failingSince)) / 1000 / seconds
    expect([share >= 0.75, share <= 1.25]).toEqual([true, true])
  })

  it('and a success, the next failure in the same turn is the first one of another event', async () => {
    const receiver = await test.receive()
    const { id } = await hookAt(receiver, acme, ofTeams)
    const [first, second] = await makeTeams(acme, 2)
    receiver.answer = ({ data }) => (data.target === first ? 204 : 502)
    await test.service.deps.sql`
      update webhooks set attempts = 7, failing_since = now() - interval '25 hours' where id = ${id}
    `
    send({ retry: 3600, longestRetry: 3600 })
    await expect.poll(() => targetsOf(receiver.got, 'team-created')).toEqual([first, second])
    await expect.poll(() => viewOf(id)).toMatchObject({ attempts: 1, parkedAt: null, lastError: expect.anything() })
  })
})

describe('a service that stops', () => {
  it('sends nothing after what it is sending, and leaves the rest to the next one', async () => {
    const receiver = await test.receive()
    const waiting: ServerResponse[] = []
    receiver.answer = (delivery) => (response) => {
      receiver.taken.push(delivery)
      waiting.push(response)
    }
    const { id } = await hookAt(receiver, acme, ofTeams)
    const teams = await makeTeams(acme, 3)
    const sender = send({ answer: 60, grace: 60 })
    await expect.poll(() => waiting.length).toBe(1)
    receiver.answer = () => 204
    const stopped = sender.stop()
    for (const response of waiting) response.writeHead(204).end()
    await stopped
    expect(targetsOf(receiver.got, 'team-created')).toEqual(teams.slice(0, 1))
    expect(await viewOf(id)).toMatchObject({ deliveredAt: expect.anything(), lastError: null })
    send()
    await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
  })

  it('cuts off what takes too long, which is no failure of the receiver and comes again at once', async () => {
    const receiver = await test.receive()
    receiver.answer = () => () => undefined
    const { id } = await hookAt(receiver, acme, ofTeams)
    const teams = await makeTeams(acme, 1)
    const sender = send({ answer: 60 })
    await expect.poll(() => receiver.got.length).toBe(1)
    await sender.stop()
    expect(await viewOf(id)).toMatchObject({ attempts: 0, failingSince: null, lastError: null, deliveredAt: null })
    receiver.answer = () => 204
    send()
    await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
    expect(receiver.taken[0]?.id).toBe(receiver.got[0]?.id)
  })
})

it('webhooks are listed newest first', async () => {
  const [firm, receiver] = [await found(test.service), await test.receive()]
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.unshift((await hookAt(receiver, firm)).id)
  const listed = await done(firm.owner.get(`/webhook/list?organizationId=${firm.id}&limit=2`))
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
})

it('a process whose look another one is at does not wait for it', async () => {
  const { sql } = test.service.deps
  await hookAt(await test.receive(), acme)
  const looked = await sql.begin(async (tx) => {
    await lockFeed(tx as unknown as Sql)
    return wakeWebhooks(sql).then(() => 'nothing to do')
  })
  expect(looked).toBe('nothing to do')
})

it.each([
  ['seven at an event that was then delivered', 7, 204, 1],
  ['two, however long ago the first was', 2, 502, 3],
])('gives up no webhook for failures that are %s', async (_, before, first, attempts) => {
  const receiver = await test.receive()
  receiver.answer = () => {
    receiver.answer = () => 502
    return first
  }
  const { id } = await hookAt(receiver, acme, ofTeams)
  await makeTeams(acme, 2)
  await test.service.deps.sql`
    update webhooks set attempts = ${before}, failing_since = now() - interval '25 hours', next_at = now() where id = ${id}
  `
  send({ retry: 3600, longestRetry: 3600 })
  await expect.poll(async () => (await viewOf(id)).lastError).toBe('The receiver answered 502')
  const { parkedAt, failingSince, attempts: made } = await viewOf(id)
  const isAnew = Date.parse(failingSince) > Date.now() - 3_600_000
  expect([parkedAt, made, isAnew]).toEqual([null, attempts, first === 204])
})
