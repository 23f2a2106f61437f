import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { done, type Founded, found } from '../testing/organizations.ts'
import type { Receiver } from '../testing/receiver.ts'
import { slack } from '../testing/slack.ts'
import { hookAt, makeTeams, startWebhookTest, targetsOf, type WebhookTest } from '../testing/webhooks.ts'

/** A service whose receivers have so many seconds for an answer, and an organization there. */
async function begin(answer: number) {
  const at = await startWebhookTest({ MAXIMUM_TEAMS: '500', WEBHOOK_LIMIT: '100' })
  at.send({ answer })
  return { at, firm: await found(at.service) }
}

let test: WebhookTest
let acme: Founded
let good: Receiver
beforeAll(async () => {
  ;({ at: test, firm: acme } = await begin(30))
  good = await test.receive()
  await hookAt(good, acme)
})
afterAll(() => test.stop())

const viewOf = (webhookId: string, { owner } = acme) => done(owner.get(`/webhook/view?webhookId=${webhookId}`))
const ageFailure = (id: string, hours: number) => test.service.deps.sql`
  update webhooks set failing_since = now() - make_interval(hours => ${hours}) where id = ${id}
`

const bad: readonly (readonly [string, Receiver['answer'], RegExp])[] = [
  ['answers that it failed', () => 500, /answered 500/],
  ['redirects', () => (response) => void response.writeHead(302, { location: good.url }).end(), /answered 302/],
  [
    'resets the connection',
    () => (_response, request) => void request.socket.resetAndDestroy(),
    /could not be reached/,
  ],
  [
    'changes the protocol',
    () => (_response, request) =>
      void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    /could not be reached/,
  ],
  [
    'floods us with interim answers',
    () => (response, request) => {
      request.socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))
      response.writeHead(204).end()
    },
    /could not be reached: EPROTO/,
  ],
  [
    'answers nonsense',
    () => (_response, request) => void request.socket.end('nonsense\r\n\r\n'),
    /could not be reached/,
  ],
]

interface Failing {
  readonly answer: Receiver['answer']
  readonly reason: RegExp
  readonly at: WebhookTest
  readonly firm: Founded
}

async function expectRetries({ answer, reason, at, firm }: Failing) {
  const receiver = await at.receive()
  receiver.answer = answer
  const { id } = await hookAt(receiver, firm)
  await expect.poll(async () => (await viewOf(id, firm)).attempts).toBeGreaterThan(1)
  const failing = await viewOf(id, firm)
  expect(failing).toMatchObject({ lastError: expect.stringMatching(reason), parkedAt: null, deliveredAt: null })
  expect([failing.failingSince, failing.nextAttemptAt]).not.toContain(null)
  const teams = await makeTeams(firm, 2)
  receiver.answer = () => 200
  // Who took something too late is told again, by the same id.
  await expect.poll(() => [...new Set(targetsOf(receiver.taken, 'team-created'))]).toEqual(teams)
  const [first] = receiver.got
  expect(receiver.got.filter((each) => each.id === first?.id && each.text === first.text).length).toBeGreaterThan(1)
  await expect.poll(async () => (await viewOf(id, firm)).attempts).toBe(0)
  expect(await viewOf(id, firm)).toMatchObject({ lastError: null, failingSince: null, nextAttemptAt: null })
}

describe.each(bad)('a receiver that %s', (_, answer, reason) => {
  it('is tried again, in the same order, by the same ids, until it takes what it is told', async () => {
    expect.hasAssertions()
    await expectRetries({ answer, reason, at: test, firm: acme })
  })
})

describe('receivers that never answer', () => {
  let at: WebhookTest
  let firm: Founded
  beforeAll(async () => {
    ;({ at, firm } = await begin(0.5))
  })
  afterAll(() => at.stop())

  it('are tried again, in the same order, by the same ids, until they take what they are told', async () => {
    const reason = /did not answer within 0.5 seconds/
    expect.hasAssertions()
    await expectRetries({ answer: () => () => undefined, reason, at, firm })
  })

  // An organization has two places, so the others' turns take a few seconds.
  const turns = { timeout: 30_000 * slack }

  it('hold up nobody else, however many there are', { timeout: 90_000 * slack }, async () => {
    const [good, slow] = [await at.receive(), await at.receive()]
    await hookAt(good, firm)
    slow.answer = () => () => undefined
    for (let count = 0; count < 20; count += 1) await hookAt(slow, firm)
    await expect.poll(() => slow.got.length, turns).toBeGreaterThanOrEqual(16)
    const [team] = await makeTeams(firm, 1)
    await expect.poll(() => targetsOf(good.taken, 'team-created'), turns).toContain(team)
  })
})

it('an answer without an end is not read', async () => {
  const receiver = await test.receive()
  let written = 0
  receiver.answer = (delivery) => (response) => {
    receiver.taken.push(delivery)
    const chunk = Buffer.alloc(65_536)
    const write = () => {
      while (!response.destroyed && written < 2 ** 30 && response.write(chunk)) written += chunk.length
      if (!response.destroyed && written < 2 ** 30) response.once('drain', write)
    }
    write()
  }
  await hookAt(receiver, acme)
  const [team] = await makeTeams(acme, 1)
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual([team])
  expect(written).toBeLessThan(2 ** 27)
})

it('an answer that goes on for ever does not keep the next event waiting', async () => {
  const receiver = await test.receive()
  receiver.answer = (delivery) => (response) => {
    receiver.taken.push(delivery)
    response.write('.')
  }
  await hookAt(receiver, acme)
  const teams = await makeTeams(acme, 2)
  // Less than the 30 seconds in which an answer has to begin.
  await expect.poll(() => targetsOf(receiver.taken, 'team-created'), { timeout: 20_000 }).toEqual(teams)
})

it('is given up at once by 410, which the trail tells the others, and goes on where it was when resumed', async () => {
  const receiver = await test.receive()
  receiver.answer = () => 410
  const { id: webhookId } = await hookAt(receiver, acme)
  await expect.poll(() => targetsOf(good.taken, 'webhook-parked')).toContain(webhookId)
  expect(await viewOf(webhookId)).toMatchObject({
    attempts: 1,
    lastError: 'The receiver answered 410',
    nextAttemptAt: null,
  })
  const teams = await makeTeams(acme, 2)
  await expect.poll(() => targetsOf(good.taken, 'team-created')).toContain(teams[1])
  expect(receiver.got).toHaveLength(1)
  receiver.answer = () => 200
  const resumed = await done(acme.owner.post('/webhook/resume', { webhookId }))
  expect(resumed).toMatchObject({ parkedAt: null, attempts: 0, lastError: null })
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
  expect(receiver.taken.map(({ type }) => type).slice(0, 2)).toEqual(['webhook-created', 'webhook-parked'])
})

it('begins anew when it is paused or gets another address', async () => {
  const receiver = await test.receive()
  receiver.answer = () => 503
  const { id: webhookId } = await hookAt(receiver, acme)
  await expect.poll(async () => (await viewOf(webhookId)).attempts).toBeGreaterThan(1)
  expect((await viewOf(webhookId)).failingSince).not.toBeNull()
  await done(acme.owner.post('/webhook/update', { webhookId, paused: true }))
  await expect.poll(async () => (await viewOf(webhookId)).attempts).toBe(0)
  expect(await viewOf(webhookId)).toMatchObject({ failingSince: null, lastError: null, paused: true })
})

it('gets at another address what the first one did not take, by the same id', async () => {
  const [old, next] = [await test.receive(), await test.receive()]
  old.answer = () => 503
  const { id: webhookId } = await hookAt(old, acme, { events: ['team'] })
  const teams = await makeTeams(acme, 2)
  await expect.poll(async () => (await viewOf(webhookId)).attempts).toBeGreaterThan(1)
  await done(acme.owner.post('/webhook/update', { webhookId, url: next.url }))
  await expect.poll(() => targetsOf(next.taken, 'team-created')).toEqual(teams)
  expect(next.taken[0]?.id).toBe(old.got[0]?.id)
  await expect.poll(async () => (await viewOf(webhookId)).lastError).toBeNull()
})

it('of another organization is found by nobody, and left as it is', async () => {
  const [receiver, other] = [await test.receive(), await found(test.service)]
  const { id: webhookId } = await hookAt(receiver, acme, { paused: undefined })
  const row = async () =>
    (await test.service.deps.sql`select url, secret, cursor is null, paused from webhooks where id = ${webhookId}`)[0]
  const before = await row()
  const replies = [
    await other.owner.get(`/webhook/view?webhookId=${webhookId}`),
    await other.owner.post('/webhook/update', { webhookId, paused: true }),
    await other.owner.post('/webhook/rotate', { webhookId }),
    await other.owner.post('/webhook/resume', { webhookId }),
    await other.owner.post('/webhook/delete', { webhookId }),
  ]
  expect(new Set(replies.map(({ body }) => body.code))).toEqual(new Set(['WEBHOOK_NOT_FOUND']))
  expect(await row()).toEqual(before)
  const listed = await other.owner.get(`/webhook/list?organizationId=${acme.id}`)
  expect([listed.status, JSON.stringify(listed.body).includes(webhookId)]).toEqual([403, false])
})

it('is given up after a day and eight attempts, not before', async () => {
  const receiver = await test.receive()
  receiver.answer = () => 503
  const { id } = await hookAt(receiver, acme)
  await expect.poll(async () => (await viewOf(id)).attempts).toBeGreaterThan(9)
  expect((await viewOf(id)).parkedAt).toBeNull()
  await ageFailure(id, 23)
  const seen = (await viewOf(id)).attempts
  await expect.poll(async () => (await viewOf(id)).attempts).toBeGreaterThan(seen + 1)
  const { parkedAt, failingSince } = await viewOf(id)
  expect([parkedAt, Date.parse(failingSince) < Date.now() - 22 * 3_600_000]).toEqual([null, true])
  await ageFailure(id, 25)
  await expect.poll(async () => (await viewOf(id)).parkedAt).not.toBeNull()
  expect(Date.parse((await viewOf(id)).failingSince)).toBeLessThan(Date.now() - 24 * 3_600_000)
  const line = test.service.logged.find(({ msg, webhookId }) => /given up/.test(String(msg)) && webhookId === id)
  expect(line).toMatchObject({ reason: 'The receiver answered 503', organizationId: acme.id })
})

describe('an address on a private network', () => {
  it.each([
    'https://127.0.0.1/hook',
    'https://localhost/hook',
    'https://[::1]/hook',
    'https://[::ffff:10.0.0.1]/hook',
    'https://169.254.169.254/latest',
    'https://192.168.1.1:8443/',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
  ])('%s is refused where the settings do not name it', async (url) => {
    const strict = await test.service.sibling({ WEBHOOK_PRIVATE_NETWORKS: '' })
    const { id: organizationId, owner } = await found(strict)
    const refused = await owner.post('/webhook/create', { url, organizationId })
    expect([refused.status, refused.body.code]).toEqual([400, 'WEBHOOK_URL_PRIVATE'])
  })

  it.each([
    'http://receiver.example.com',
    'https://ann:secret@receiver.example.com',
    'https://a.example/#x',
    'hook',
    'file:///etc/passwd',
  ])('%s is no address of a webhook', async (url) => {
    const strict = await test.service.sibling({ WEBHOOK_PRIVATE_NETWORKS: '' })
    const { id: organizationId, owner } = await found(strict)
    expect((await owner.post('/webhook/create', { url, organizationId })).body.code).toBe('WEBHOOK_URL_INVALID')
  })

  it('is not sent to when a name turns out to lead there, or when the settings no longer name it', async () => {
    const receiver = await test.receive()
    const own = await startWebhookTest()
    const firm = await found(own.service)
    const strict = await own.service.sibling({ WEBHOOK_PRIVATE_NETWORKS: '' })
    const { id } = await hookAt(receiver, firm)
    await own.service.deps
      .sql`update webhooks set url = ${receiver.url.replace('127.0.0.1', 'localhost')} where id = ${id}`
    own.send({}, strict)
    const view = () => done(firm.owner.get(`/webhook/view?webhookId=${id}`))
    await expect
      .poll(async () => (await view()).lastError)
      .toBe('The address is on no network of WEBHOOK_PRIVATE_NETWORKS, so it has to begin with https://')
    await own.stop()
    expect(receiver.got).toEqual([])
  })
})
