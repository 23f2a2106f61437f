import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimWebhooks } from '../db/webhook-feed.ts'
import { resumeCopyWebhooks } from '../domain/copy/resume-webhooks.ts'
import { adminOf } from '../testing/admins.ts'
import { done, type Founded, found } from '../testing/organizations.ts'
import { isSignedBy, type Receiver } from '../testing/receiver.ts'
import { enough, rounds } from '../testing/rounds.ts'
import type { TestService } from '../testing/service.ts'
import { otherSecret } from '../testing/settings.ts'
import { receiverUrl } from '../testing/webhook-calls.ts'
import { hookAt, makeTeams, startWebhookTest, targetsOf, type WebhookTest } from '../testing/webhooks.ts'
import { deliver, webhookTimes } from './deliver.ts'

let test: WebhookTest
let acme: Founded
beforeAll(async () => {
  test = await startWebhookTest({ MAXIMUM_TEAMS: '5000', WEBHOOK_LIMIT: '20' })
  acme = await found(test.service)
})
afterAll(() => test.stop())

it('two processes send each event once, and in order', enough, async () => {
  const [one, other] = [test.send(), test.send({}, await test.service.sibling())]
  const receivers = await Promise.all([test.receive(), test.receive(), test.receive()])
  for (const receiver of receivers) await hookAt(receiver, acme, { events: ['team'] })
  for (let round = 0; round < rounds; round += 1) {
    const teams = await makeTeams(acme, 5)
    for (const receiver of receivers) {
      await expect.poll(() => targetsOf(receiver.got, 'team-created').slice(-5)).toEqual(teams)
      expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(receiver.got.length)
    }
  }
  await Promise.all([one.stop(), other.stop()])
  await test.service.deps.sql`delete from webhooks`
})

it('an event that commits late is told too, after those that were told before', async () => {
  const sender = test.send()
  const receiver = await test.receive()
  await hookAt(receiver, acme)
  await expect.poll(() => receiver.taken).toHaveLength(1)
  const [late] = await test.service.deps.sql.begin(async (tx) => {
    const rows = await tx<{ id: string }[]>`
      insert into audit_events (id, event, organization_id, request_id) values (${crypto.randomUUID()}, 'team-updated', ${acme.id}, 'r')
      returning id
    `
    const [team] = await makeTeams(acme, 1)
    await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual([team])
    return rows
  })
  await expect.poll(() => receiver.taken.at(-1)?.id).toBe(late?.id)
  await sender.stop()
  await test.service.deps.sql`delete from webhooks`
})

it('what was claimed before a rotation is not sent with the secret of before it alone', async () => {
  const { deps } = test.service
  const receiver = await test.receive()
  const { id: webhookId, secret } = await hookAt(receiver, acme)
  const lease = 'of a process that stood still'
  const [claimed] = await claimWebhooks(deps.sql, { lease, seconds: 60, most: 1, busy: [] })
  const rotated = await done(acme.owner.post('/webhook/rotate', { webhookId }))
  const sent: string[] = []
  const post = async (url: string) => {
    sent.push(url)
    return { status: 200, milliseconds: 1, failure: null }
  }
  const { signal } = new AbortController()
  if (claimed)
    await deliver({ ...claimed, lease }, { ...deps, times: webhookTimes, post, leaving: signal, cut: signal })
  expect([claimed?.id, sent]).toEqual([webhookId, []])
  const sender = test.send()
  await expect.poll(() => receiver.taken.map(({ type }) => type)).toEqual(['webhook-created', 'webhook-rotated'])
  for (const each of receiver.taken)
    expect([secret, rotated.secret].map((one) => isSignedBy(each, one))).toEqual([true, true])
  await sender.stop()
  await deps.sql`delete from webhooks`
})

it('as many as the setting says, however many are created at once', enough, async () => {
  const strict = await test.service.sibling({ WEBHOOK_LIMIT: '2' })
  for (let round = 0; round < rounds; round += 1) {
    const [{ id: organizationId, owner }, admin] = [await found(strict), await adminOf(strict)]
    for (const ask of [
      () => owner.post('/webhook/create', { url: receiverUrl, organizationId }),
      () => admin.post('/webhook/create', { url: receiverUrl }),
    ]) {
      const replies = await Promise.all(Array.from({ length: 5 }, ask))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(2)
    }
    await test.service.deps.sql`delete from webhooks`
  }
})

it('asks nothing of the trail while there is no webhook, and two statements when nothing happens', async () => {
  const alone = await test.service.sibling({ DATABASE_POOL: '1' })
  const look = async () => {
    alone.statements.list.length = 0
    const sender = test.send({ poll: 3600 }, alone)
    await expect.poll(() => alone.statements.list.length).toBeGreaterThanOrEqual(2)
    await sender.stop()
    return alone.statements.list.length
  }
  const seen = async () => (await test.service.deps.sql<{ seen: string }[]>`select seen from webhook_feed`)[0]?.seen
  const before = await seen()
  await makeTeams(acme, 1)
  expect([await look(), await seen()]).toEqual([2, before])
  const [receiver, admin] = [await test.receive(), await adminOf(test.service)]
  await hookAt(receiver, acme)
  // What happened while there was none concerns nobody, however much it is.
  expect(await seen()).not.toBe(before)
  await done(admin.post('/webhook/create', { url: receiver.url }))
  // Each is told of its own creation. Transactions elsewhere in the cluster hold the trail back for a while.
  const sender = test.send({}, alone)
  await expect.poll(() => receiver.taken).toHaveLength(2)
  await sender.stop()
  expect(await look()).toBe(2)
  expect(receiver.taken).toHaveLength(2)
  await test.service.deps.sql`delete from webhooks`
})

it('one that sleeps is told what happened before another was created', async () => {
  const { sql } = test.service.deps
  const [receiver, firm] = [await test.receive(), await found(test.service)]
  const { id } = await hookAt(receiver, acme, { events: ['team'] })
  const sender = test.send()
  await expect.poll(() => sql`select from webhooks where id = ${id} and next_at is null`).toHaveLength(1)
  await sender.stop()
  const teams = await makeTeams(acme, 1)
  await hookAt(receiver, firm, { events: ['team'] })
  const later = test.send()
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
  await later.stop()
  await sql`delete from webhooks`
})

const waysOfResuming = {
  'for each webhook': {
    first: 'webhook-resumed',
    resume: (firm: Founded, webhookId: string) => done(firm.owner.post('/webhook/resume', { webhookId })),
  },
  'for all at once': {
    first: 'team-created',
    resume: async (_firm: Founded, _id: string, { deps: { sql } }: TestService) => {
      expect(await resumeCopyWebhooks(sql)).toBe(1)
      expect(await resumeCopyWebhooks(sql)).toBe(0)
    },
  },
}

it.each(Object.entries(waysOfResuming))(
  'a copy of the database sends nothing until it is told to %s, and then from there on',
  async (_way, { first, resume }) => {
    const own = await startWebhookTest()
    const firm = await found(own.service)
    const receiver = await own.receive()
    const { id: webhookId } = await hookAt(receiver, firm)
    // As in a restored dump: the row that names the database was written in another one.
    await own.service.deps.sql`update database_copies set identity = 'another'`
    own.send()
    const view = () => done(firm.owner.get(`/webhook/view?webhookId=${webhookId}`))
    await makeTeams(firm, 1)
    await done(firm.owner.get(`/organization/list-activity?organizationId=${firm.id}`))
    expect(await view()).toMatchObject({ lastError: 'Held: the original of this copy sends to it' })
    expect((await view()).parkedAt).not.toBeNull()
    await resume(firm, webhookId, own.service)
    const teams = await makeTeams(firm, 2)
    await expect.poll(() => targetsOf(receiver.got, 'team-created')).toEqual(teams)
    expect(receiver.got[0]?.type).toBe(first)
    await own.stop()
  },
)

it('a webhook of the copy that was given up for another reason stays so', async () => {
  const { sql } = test.service.deps
  const receiver = await test.receive()
  await hookAt(receiver, acme)
  await sql`update webhooks set parked_at = now(), last_error = 'The receiver answered 410'`
  expect(await resumeCopyWebhooks(sql)).toBe(0)
  await sql`delete from webhooks`
})

it.each(['parked_at = now()', 'paused = true'])(
  'a webhook with %s holds up none of its organization',
  async (state) => {
    const { sql } = test.service.deps
    const [still, good] = [await test.receive(), await test.receive()]
    const { id } = await hookAt(still, acme)
    await sql.unsafe(`update webhooks set ${state}, next_at = now() - interval '1 hour' where id = '${id}'`)
    await hookAt(good, acme)
    const sender = test.send()
    const teams = await makeTeams(acme, 1)
    await expect.poll(() => targetsOf(good.taken, 'team-created')).toEqual(teams)
    expect(still.taken).toEqual([])
    await sender.stop()
    await sql`delete from webhooks`
  },
)

describe('places', () => {
  it('are two at most for one organization, so that its receivers hold up nobody else', async () => {
    const own = await startWebhookTest({ WEBHOOK_LIMIT: '20' })
    const [crowd, firm] = [await found(own.service), await found(own.service)]
    const [slow, good] = [await own.receive(), await own.receive()]
    const waiting: ServerResponse[] = []
    slow.answer = () => (response) => void waiting.push(response)
    for (let count = 0; count < 6; count += 1) await hookAt(slow, crowd)
    await hookAt(good, firm)
    own.send({ answer: 60 })
    await expect.poll(() => waiting.length).toBe(2)
    const teams = await makeTeams(firm, 3)
    await expect.poll(() => targetsOf(good.taken, 'team-created')).toEqual(teams)
    expect(waiting.length).toBe(2)
    // Whoever is answered makes room for the next.
    slow.answer = () => 204
    for (const response of waiting) response.end()
    await expect.poll(() => new Set(slow.taken.map(({ data }) => data.target)).size).toBeGreaterThanOrEqual(4)
    await own.stop()
  })

  it('are half of all for the service once others wait, so that its webhooks keep no organization from being told', async () => {
    const own = await startWebhookTest({ WEBHOOK_LIMIT: '20' })
    const [firm, admin] = [await found(own.service), await adminOf(own.service)]
    const [slow, good] = [await own.receive(), await own.receive()]
    const waiting: ServerResponse[] = []
    slow.answer = () => (response) => void waiting.push(response)
    for (let count = 0; count < 20; count += 1) await done(admin.post('/webhook/create', { url: slow.url }))
    await hookAt(good, firm)
    for (let count = 0; count < 6; count += 1) await hookAt(slow, await found(own.service))
    own.send({ answer: 60 })
    await expect.poll(() => waiting.length).toBe(16)
    for (const response of waiting.slice(0, 4)) response.writeHead(500).end()
    await expect.poll(() => good.taken.map(({ type }) => type)).toEqual(['webhook-created'])
    // Four of the six organizations: there are still sixteen places.
    await expect.poll(() => waiting.length).toBe(20)
    expect(await own.service.deps.sql`select from webhooks where lease is not null`).toHaveLength(16)
    await own.stop()
  })
})

it.each([502, 410])(
  'a turn that a rotation without overlap interrupts sends nothing more by the old secret, and a %d at its end is no word',
  async (status) => {
    const [firm, slow] = [await found(test.service), await test.receive()]
    const waiting: ServerResponse[] = []
    slow.answer = () => (response) => void waiting.push(response)
    const { id: webhookId, secret } = await hookAt(slow, firm)
    const [team] = await makeTeams(firm, 1)
    const sender = test.send({ answer: 60 })
    await expect.poll(() => waiting.length).toBe(1)
    slow.answer = () => 204
    const rotated = await done(firm.owner.post('/webhook/rotate', { webhookId, overlap: 0 }))
    await expect.poll(() => slow.taken.at(-1)?.type).toBe('webhook-rotated')
    for (const response of waiting) response.writeHead(status).end()
    await sender.stop()
    const signers = slow.got.map((each) => [isSignedBy(each, secret), isSignedBy(each, rotated.secret)])
    expect(signers).toEqual([[true, false], ...slow.taken.map(() => [false, true])])
    // What was on its way comes again, since nobody noted that it arrived.
    expect(slow.taken.map(({ type }) => type)).toEqual(['webhook-created', 'team-created', 'webhook-rotated'])
    expect(targetsOf(slow.taken, 'team-created')).toEqual([team])
    const view = await done(firm.owner.get(`/webhook/view?webhookId=${webhookId}`))
    expect(view).toMatchObject({ attempts: 0, lastError: null, parkedAt: null })
    await test.service.deps.sql`delete from webhooks`
  },
)

it('what becomes of one says nothing of the others that were claimed with it', async () => {
  const { sql } = test.service.deps
  const waiting: ServerResponse[] = []
  const hookThat = async (answer: Receiver['answer']) => {
    const [firm, receiver] = [await found(test.service), await test.receive()]
    receiver.answer = answer
    const { id } = await hookAt(receiver, firm)
    const view = () => done(firm.owner.get(`/webhook/view?webhookId=${id}`))
    return { id, receiver, view, teams: await makeTeams(firm, 2) }
  }
  const [slow, bad, gone, good] = await Promise.all([
    hookThat(() => (response) => void waiting.push(response)),
    hookThat(() => 500),
    hookThat(() => 410),
    hookThat(() => 204),
  ])
  const sender = test.send({ answer: 60, retry: 3600, longestRetry: 3600 })
  await expect.poll(bad.view).toMatchObject({ attempts: 1, lastError: 'The receiver answered 500', parkedAt: null })
  await expect.poll(gone.view).toMatchObject({ lastError: 'The receiver answered 410', parkedAt: expect.anything() })
  await expect.poll(() => targetsOf(good.receiver.taken, 'team-created')).toEqual(good.teams)
  slow.receiver.answer = () => 204
  for (const response of waiting) response.writeHead(502).end()
  await expect.poll(slow.view).toMatchObject({ attempts: 1, lastError: 'The receiver answered 502', parkedAt: null })
  await sql`update webhooks set next_at = now() where id = ${slow.id}`
  await expect.poll(() => targetsOf(slow.receiver.taken, 'team-created')).toEqual(slow.teams)
  await sender.stop()
  await sql`delete from webhooks`
})

it('a look at a database that is away is one line of the log', async () => {
  const cut = await test.service.sibling()
  await cut.deps.sql.end()
  const sender = test.send({}, cut)
  const told = () => new Set(cut.logged.map(({ msg }) => msg))
  await expect.poll(told).toEqual(new Set(['webhooks cannot be looked for; it is tried again at the next look']))
  await sender.stop()
})

describe('a webhook is still told everything', () => {
  let own: WebhookTest
  let firm: Founded
  beforeAll(async () => {
    own = await startWebhookTest()
    firm = await found(own.service)
  })
  afterAll(() => own.stop())

  it('when it cannot be seen which webhooks have news', async () => {
    const receiver = await own.receive()
    await hookAt(receiver, firm)
    const sender = own.send()
    await expect.poll(() => receiver.taken).toHaveLength(1)
    await own.service.deps.sql`update webhook_feed set seen = 'no snapshot'`
    const teams = await makeTeams(firm, 2)
    await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
    await sender.stop()
    await own.service.deps.sql`delete from webhooks`
  })

  it('once the trail can be read again from where it was, and says until then what is wrong', async () => {
    const receiver = await own.receive()
    const { id: webhookId } = await hookAt(receiver, firm)
    const view = () => done(firm.owner.get(`/webhook/view?webhookId=${webhookId}`))
    const { cursor } = await view()
    await own.service.deps.sql`update webhooks set cursor = 'unreadable' where id = ${webhookId}`
    const sender = own.send({ lease: 2 })
    await expect.poll(async () => (await view()).lastError).toBe('The audit trail could not be read')
    const teams = await makeTeams(firm, 2)
    await own.service.deps.sql`update webhooks set cursor = ${cursor} where id = ${webhookId}`
    await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
    await sender.stop()
    await own.service.deps.sql`delete from webhooks`
  })

  it('by a process with the right secrets, when one with others could not sign', async () => {
    const receiver = await own.receive()
    const { id: webhookId, secret } = await hookAt(receiver, firm)
    const lost = await own.service.sibling({ SECRET: otherSecret })
    const wrong = own.send({}, lost)
    const view = () => done(firm.owner.get(`/webhook/view?webhookId=${webhookId}`))
    await expect.poll(async () => (await view()).lastError).toMatch(/^No secret in SECRETS decrypts/)
    expect([receiver.got, await view()]).toEqual([
      [],
      expect.objectContaining({ parkedAt: null, attempts: 0, failingSince: null }),
    ])
    await expect
      .poll(() => lost.statements.list.filter((text) => text.includes('lease = null')).length)
      .toBeGreaterThan(2)
    await wrong.stop()
    expect(lost.logged.filter((line) => line.webhookId === webhookId)).toMatchObject([
      { level: 40, reason: expect.stringMatching(/^No secret in SECRETS decrypts/) },
    ])
    const right = own.send()
    await expect.poll(() => receiver.taken.map((each) => isSignedBy(each, secret))).toEqual([true])
    await right.stop()
  })
})

describe('attempts that failed', () => {
  let own: WebhookTest
  let firm: Founded
  beforeAll(async () => {
    own = await startWebhookTest()
    firm = await found(own.service)
  })
  afterAll(() => own.stop())
  const view = (id: string) => done(firm.owner.get(`/webhook/view?webhookId=${id}`))

  /** A webhook that is told of teams, and would be given up by the next failure. */
  async function hookThatFailed(receiver: Receiver): Promise<string> {
    const { id } = await hookAt(receiver, firm, { events: ['team'] })
    await own.service.deps.sql`
      update webhooks set attempts = 7, failing_since = now() - interval '25 hours', last_error = 'x', next_at = now()
      where id = ${id}
    `
    return id
  }

  it('at one event do not count for another, which the webhook is told of instead', async () => {
    const receiver = await own.receive()
    receiver.answer = () => 502
    const webhookId = await hookThatFailed(receiver)
    await makeTeams(firm, 1)
    const changed = await done(firm.owner.post('/webhook/update', { webhookId, events: ['member'] }))
    expect(changed).toMatchObject({ attempts: 0, failingSince: null, lastError: null })
    await firm.join('member')
    const sender = own.send({ retry: 3600, longestRetry: 3600 })
    await expect.poll(async () => (await view(webhookId)).attempts).toBe(1)
    expect((await view(webhookId)).parkedAt).toBeNull()
    expect(receiver.got.map(({ type }) => type)).toEqual(['member-added'])
    await sender.stop()
  })

  it('are forgotten when nothing is left to be sent', async () => {
    const id = await hookThatFailed(await own.receive())
    const sender = own.send()
    await expect
      .poll(() => view(id))
      .toMatchObject({ attempts: 0, failingSince: null, lastError: null, deliveredAt: null })
    await sender.stop()
  })

  it('still count when the turn ends before anything was sent', async () => {
    const receiver = await own.receive()
    const id = await hookThatFailed(receiver)
    await makeTeams(firm, 1)
    const { nextAttemptAt } = await view(id)
    const sender = own.send({ turn: -1 })
    await expect.poll(async () => (await view(id)).nextAttemptAt).not.toBe(nextAttemptAt)
    await sender.stop()
    expect(receiver.got).toEqual([])
    expect(await view(id)).toMatchObject({ attempts: 7, failingSince: expect.anything(), lastError: 'x' })
  })

  it('leave their reason with a webhook that was given up, whatever is changed, until it is resumed', async () => {
    const webhookId = await hookThatFailed(await own.receive())
    await own.service.deps.sql`update webhooks set parked_at = now() where id = ${webhookId}`
    await done(firm.owner.post('/webhook/update', { webhookId, events: ['member'], paused: false }))
    expect(await view(webhookId)).toMatchObject({ lastError: 'x', parkedAt: expect.anything() })
    await done(firm.owner.post('/webhook/resume', { webhookId }))
    expect(await view(webhookId)).toMatchObject({ lastError: null, parkedAt: null })
  })
})
