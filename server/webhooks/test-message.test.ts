import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminOf } from '../testing/admins.ts'
import { done, type Founded, found } from '../testing/organizations.ts'
import { isSignedBy, type Receiver } from '../testing/receiver.ts'
import { receiverUrl } from '../testing/webhook-calls.ts'
import { hookAt, startWebhookTest, type WebhookTest } from '../testing/webhooks.ts'

// Nothing sends deliveries here, so receivers get only what is sent as a test.

let test: WebhookTest
let receiver: Receiver
let acme: Founded
beforeAll(async () => {
  test = await startWebhookTest({ RATE_LIMIT: 'on' })
  acme = await found(test.service)
  receiver = await test.receive()
})
afterAll(() => test.stop())

const viewOf = (webhookId: string) => done(acme.owner.get(`/webhook/view?webhookId=${webhookId}`))
const send = (webhookId: string, { owner } = acme) => owner.post('/webhook/test', { webhookId })

it('is signed, stands for no event, and its answer is told', async () => {
  const { id, secret, url } = await hookAt(receiver, acme, { events: ['member'] })
  const before = await viewOf(id)
  const answer = await done(send(id))
  expect(answer).toEqual({
    webhookId: id,
    url,
    delivered: true,
    answered: 204,
    milliseconds: expect.any(Number),
    reason: null,
  })
  const [delivery] = receiver.got
  expect(receiver.got).toHaveLength(1)
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
  expect(delivery).toMatchObject({
    type: 'webhook.test',
    data: { id: delivery?.id, webhookId: id, organizationId: acme.id },
  })
  expect(await viewOf(id)).toEqual(before)
  const events = await done(acme.owner.get('/organization/list-activity'))
  expect(events.events[0]).toMatchObject({ event: 'webhook-tested', target: id, actorId: acme.owner.userId })
})

it('is sent while deliveries wait, and an answer that refuses it is no failed delivery', async () => {
  const refusing = await test.receive()
  refusing.answer = () => 410
  const { id } = await hookAt(refusing, acme)
  await done(acme.owner.post('/webhook/update', { webhookId: id, paused: true }))
  const before = await viewOf(id)
  expect(await done(send(id))).toMatchObject({
    delivered: false,
    answered: 410,
    reason: 'The receiver answered 410',
  })
  expect(await viewOf(id)).toEqual(before)
  expect([before.failingSince, before.lastError, before.parkedAt]).toEqual([null, null, null])
})

it('says when the answer began, though it has no end', async () => {
  const endless = await test.receive()
  endless.answer = () => (response) => void response.writeHead(200).write('and so on')
  const { id } = await hookAt(endless, acme)
  const tested = await done(send(id))
  expect(tested).toMatchObject({ delivered: true, answered: 200, reason: null })
  // The body is given up after ten seconds, by when the answer has to begin.
  expect(tested.milliseconds).toBeLessThan(10_000)
})

it('that gets no answer says why', async () => {
  const [silent, resetting] = [await test.receive(), await test.receive()]
  silent.answer = () => () => undefined
  resetting.answer = () => (_response, request) => void request.socket.resetAndDestroy()
  const hooks = [await hookAt(silent, acme), await hookAt(resetting, acme)]
  const answers = await Promise.all(hooks.map(async ({ id }) => done(send(id))))
  const nothing = { delivered: false, answered: null, milliseconds: null }
  expect(answers).toMatchObject([
    { ...nothing, reason: 'The receiver did not answer within 10 seconds' },
    { ...nothing, reason: expect.stringContaining('could not be reached') },
  ])
})

it('goes to no private network, nor to a name that leads there', async () => {
  const guarded = await test.service.sibling({ WEBHOOK_PRIVATE_NETWORKS: '' })
  const elsewhere = await found(guarded)
  const hook = await done(elsewhere.owner.post('/webhook/create', { url: receiverUrl, organizationId: elsewhere.id }))
  const { sql } = test.service.deps
  for (const url of [receiver.url.replace('http:', 'https:'), 'https://localhost/hook', 'https://169.254.169.254/']) {
    await sql`update webhooks set url = ${url} where id = ${hook.id}`
    expect(await done(send(hook.id, elsewhere))).toMatchObject({
      delivered: false,
      answered: null,
      milliseconds: null,
      reason: 'The host is unknown, or its address is not public',
    })
  }
})

it('is for those who may change the webhook', async () => {
  const { id } = await hookAt(receiver, acme)
  const [member, admin, stranger] = [await acme.join('member'), await acme.join('admin'), await found(test.service)]
  const platform = await adminOf(test.service)
  const ofService = await done(platform.post('/webhook/create', { url: receiver.url }))
  const tried = async (who: Founded['owner'] | typeof platform, webhookId: string) =>
    (await who.post('/webhook/test', { webhookId })).status
  expect([await tried(member, id), await tried(stranger.owner, id), await tried(acme.owner, ofService.id)]).toEqual([
    400, 400, 400,
  ])
  expect([await tried(admin, id), await tried(platform, ofService.id)]).toEqual([200, 200])
})

it('is sent ten times a minute by one person, whichever webhook they test', async () => {
  const firm = await found(test.service)
  const hooks = [await hookAt(receiver, firm), await hookAt(receiver, firm)]
  const before = receiver.got.length
  const statuses = []
  for (let times = 0; times < 11; times += 1) statuses.push((await send(hooks[times % 2]?.id ?? '', firm)).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  expect(receiver.got.length - before).toBe(10)
})
