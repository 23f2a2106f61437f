import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminOf } from '../testing/admins.ts'
import { done, type Founded, found } from '../testing/organizations.ts'
import { isSignedBy, type Receiver } from '../testing/receiver.ts'
import { hookAt, makeTeams, startWebhookTest, targetsOf, type WebhookTest } from '../testing/webhooks.ts'

let test: WebhookTest
let receiver: Receiver
let acme: Founded
beforeAll(async () => {
  test = await startWebhookTest({ MAXIMUM_TEAMS: '500', WEBHOOK_LIMIT: '100' })
  test.send()
  acme = await found(test.service)
  receiver = await test.receive()
})
afterAll(() => test.stop())

const viewOf = (webhookId: string) => done(acme.owner.get(`/webhook/view?webhookId=${webhookId}`))

it('the first thing that a webhook is told is that it was created; then everything in its order', async () => {
  const webhook = await hookAt(receiver, acme)
  const teams = await makeTeams(acme, 45)
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toEqual(teams)
  const [first] = receiver.taken
  expect(first).toMatchObject({ type: 'webhook-created', data: { target: webhook.id, organizationId: acme.id } })
  expect(receiver.got.length).toBe(46)
  await expect.poll(async () => (await viewOf(webhook.id)).deliveredAt).not.toBeNull()
})

it('is signed as Standard Webhooks says, with the secret that only its creation answered', async () => {
  // A receiver of its own: the other webhook is told of this one too, with its own signature.
  const own = await test.receive()
  const { secret, id } = await hookAt(own, acme)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await expect.poll(() => targetsOf(own.taken, 'webhook-created')).toEqual([id])
  const [delivery] = own.taken
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
  expect(delivery).toMatchObject({
    id: delivery?.data.id,
    headers: { 'content-type': 'application/json', 'user-agent': 'postern' },
    timestamp: delivery?.data.createdAt,
  })
  const seconds = Number(delivery?.headers['webhook-timestamp'])
  expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60)
  expect((await viewOf(id)).secret).toBeUndefined()
})

it('while a secret is being rotated, both sign; then the new one alone', async () => {
  const own = await test.receive()
  const { id: webhookId, secret } = await hookAt(own, acme)
  await expect.poll(() => own.taken).toHaveLength(1)
  const rotated = await done(acme.owner.post('/webhook/rotate', { webhookId }))
  await expect.poll(() => own.taken.at(-1)?.type).toBe('webhook-rotated')
  const both = own.taken.at(-1)
  expect(both && [isSignedBy(both, secret), isSignedBy(both, rotated.secret)]).toEqual([true, true])
  expect(rotated.overlapEndsAt).not.toBeNull()
  const last = await done(acme.owner.post('/webhook/rotate', { webhookId, overlap: 0 }))
  await makeTeams(acme, 1)
  await expect.poll(() => own.taken.at(-1)?.type).toBe('team-created')
  const only = own.taken.at(-1)
  expect(only && [rotated.secret, last.secret].map((each) => isSignedBy(only, each))).toEqual([false, true])
})

it('the secret of before a rotation signs no longer than it was given', async () => {
  const { sql } = test.service.deps
  const own = await test.receive()
  const { id: webhookId, secret } = await hookAt(own, acme)
  const rotated = await done(acme.owner.post('/webhook/rotate', { webhookId, overlap: 60 }))
  await expect.poll(() => sql`select from webhooks where id = ${webhookId} and next_at is null`).toHaveLength(1)
  await sql`update webhooks set previous_ends_at = now() where id = ${webhookId}`
  expect((await done(acme.owner.get(`/webhook/view?webhookId=${webhookId}`))).overlapEndsAt).toBeNull()
  const [team] = await makeTeams(acme, 1)
  await expect.poll(() => targetsOf(own.taken, 'team-created')).toEqual([team])
  await done(acme.owner.post('/webhook/test', { webhookId }))
  const signers = own.taken.map((each) => [secret, rotated.secret].map((one) => isSignedBy(each, one)))
  expect(own.taken.slice(-2).map(({ type }) => type)).toEqual(['team-created', 'webhook.test'])
  expect(signers.slice(-2)).toEqual([
    [false, true],
    [false, true],
  ])
})

describe('a webhook of an organization', () => {
  it('is told nothing of another organization, and no address of another person', async () => {
    const [own, other] = [await test.receive(), await found(test.service)]
    await hookAt(own, acme)
    await makeTeams(other, 3)
    const [team] = await makeTeams(acme, 1)
    await expect.poll(() => targetsOf(own.taken, 'team-created')).toEqual([team])
    expect(own.got.map(({ data }) => data.organizationId)).toEqual(own.got.map(() => acme.id))
    for (const { data } of own.got) expect([data.ipAddress, data.userAgent]).toEqual([null, null])
    expect(own.taken.at(-1)?.data).toMatchObject({ actorEmail: acme.owner.email, targetName: 'Team 0' })
  })

  it('is told only what it asks for, by names and groups', async () => {
    const own = await test.receive()
    await hookAt(own, acme, { events: ['team-deleted', 'member'] })
    const [teamId] = await makeTeams(acme, 1)
    await done(acme.owner.post('/organization/remove-team', { organizationId: acme.id, teamId }))
    await acme.join('member')
    await expect.poll(() => own.taken.map(({ type }) => type)).toEqual(['team-deleted', 'member-added'])
  })

  it('goes with its organization', async () => {
    const [own, firm] = [await test.receive(), await found(test.service)]
    const { id } = await hookAt(own, firm)
    await expect.poll(() => own.taken).toHaveLength(1)
    await done(firm.owner.post('/organization/delete', { organizationId: firm.id }))
    expect(await test.service.deps.sql`select from webhooks where id = ${id}`).toHaveLength(0)
  })
})

it('a webhook of the service is told every event, with the addresses', async () => {
  const [own, admin] = [await test.receive(), await adminOf(test.service)]
  const made = await done(admin.post('/webhook/create', { url: own.url }))
  expect(made.organizationId).toBeNull()
  await makeTeams(acme, 1)
  await test.service.person()
  await expect
    .poll(() => own.taken.map(({ type }) => type))
    .toEqual(['webhook-created', 'team-created', 'sign-up-done'])
  expect(own.taken[1]?.data.ipAddress).not.toBeNull()
  await done(admin.post('/webhook/delete', { webhookId: made.id }))
})

it('a paused webhook waits, and is told later what it missed', async () => {
  const own = await test.receive()
  const { id: webhookId } = await hookAt(own, acme, { events: ['team'] })
  await done(acme.owner.post('/webhook/update', { webhookId, paused: true }))
  const teams = await makeTeams(acme, 3)
  await expect.poll(() => targetsOf(receiver.taken, 'team-created')).toContain(teams[2])
  expect(own.got).toEqual([])
  await done(acme.owner.post('/webhook/update', { webhookId, paused: false }))
  await expect.poll(() => targetsOf(own.taken, 'team-created')).toEqual(teams)
})

it('replays from a cursor of the trail, the same events by the same ids', async () => {
  const own = await test.receive()
  const { id: webhookId } = await hookAt(own, acme, { events: ['team'] })
  const { latest } = await done(acme.owner.get(`/organization/list-activity?organizationId=${acme.id}`))
  const teams = await makeTeams(acme, 3)
  await expect.poll(() => targetsOf(own.taken, 'team-created')).toEqual(teams)
  await done(acme.owner.post('/webhook/resume', { webhookId, after: latest }))
  await expect.poll(() => targetsOf(own.taken, 'team-created')).toEqual([...teams, ...teams])
  const ids = own.taken.map(({ id }) => id)
  expect(ids.slice(0, 3)).toEqual(ids.slice(3))
})

it('equal events of a minute are told with their count, each count by an id of its own', async () => {
  const [own, admin] = [await test.receive(), await adminOf(test.service)]
  const { id: webhookId } = await done(admin.post('/webhook/create', { url: own.url, events: ['sign-in-failed'] }))
  const { email } = await test.service.person()
  const visitor = test.service.visitor()
  // The next minute may begin between any two of them, but not each time.
  for (let tries = 1; tries < 5 && own.taken.at(-1)?.data.count !== 2; tries += 1) {
    await visitor.post('/sign-in/email', { email, password: 'wrong horse battery staple' })
    await expect.poll(() => own.taken.length).toBe(tries)
  }
  const [one, two] = own.taken.slice(-2)
  expect([one?.id, two?.id]).toEqual([one?.data.id, `${one?.data.id}.2`])
  await done(admin.post('/webhook/delete', { webhookId }))
})
