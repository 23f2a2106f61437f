import { expect, it } from 'vitest'
import { listWebhookSecrets, resealWebhook } from '../db/webhook-feed.ts'
import { watchSecrets } from '../process/watch.ts'
import { done, found } from '../testing/organizations.ts'
import { isSignedBy } from '../testing/receiver.ts'
import { otherSecret, testSecret } from '../testing/settings.ts'
import { useStarted } from '../testing/use-service.ts'
import { hookAt, makeTeams, startWebhookTest } from '../testing/webhooks.ts'

const test = useStarted(() => startWebhookTest({ SECRET: testSecret }))

it('a webhook that was idle for long needs no older secret, nor does the one that it replaces', async () => {
  const [firm, receiver] = [await found(test.service), await test.receive()]
  const { id: webhookId, secret } = await hookAt(receiver, firm)
  await done(firm.owner.post('/webhook/update', { webhookId, paused: true }))
  const rotated = await done(firm.owner.post('/webhook/rotate', { webhookId }))
  const during = await test.service.sibling({ SECRETS: `${otherSecret},${testSecret}` })
  await watchSecrets(during.deps)()
  await watchSecrets(during.deps)()
  const after = await test.service.sibling({ SECRETS: otherSecret })
  test.send({}, after)
  await done(firm.owner.post('/webhook/update', { webhookId, paused: false }))
  await makeTeams(firm, 1)
  await expect.poll(() => receiver.taken.at(-1)?.type).toBe('team-created')
  for (const each of receiver.taken)
    expect([secret, rotated.secret].map((one) => isSignedBy(each, one))).toEqual([true, true])
})

it('one secret that nothing decrypts keeps no other one from it', async () => {
  const [firm, receiver] = [await found(test.service), await test.receive()]
  const hooks = [await hookAt(receiver, firm), await hookAt(receiver, firm)]
  const { sql } = test.service.deps
  const [damaged, whole] = hooks.map(({ id }) => id).toSorted((one, other) => one.localeCompare(other))
  await sql`update webhooks set secret = set_byte(secret, length(secret) - 1, 255 - get_byte(secret, length(secret) - 1)) where id = ${damaged ?? ''}`
  const during = await test.service.sibling({ SECRETS: `${otherSecret},${testSecret}` })
  await watchSecrets(during.deps)()
  const outdated = async (id = '') => {
    const [row] = await sql<{ secret: Buffer }[]>`select secret from webhooks where id = ${id}`
    return during.deps.keys.webhook.isOutdated(row?.secret ?? Buffer.alloc(0))
  }
  expect([await outdated(damaged), await outdated(whole)]).toEqual([true, false])
  expect(during.logged.filter(({ webhookId }) => webhookId === damaged)).toHaveLength(1)
})

it('renews all of them, however many there are', async () => {
  const { sql, keys } = test.service.deps
  const ids = Array.from({ length: 501 }, (_, index) => `many-${index}`)
  const secrets = ids.map((id) => keys.webhook.seal('x', id).toString('hex'))
  await sql`
    insert into webhooks (id, url, cursor, created_by, paused, secret)
    select id, '', '', '', true, decode(secret, 'hex') from unnest(${ids}::text[], ${secrets}::text[]) t (id, secret)
  `
  const during = await test.service.sibling({ SECRETS: `${otherSecret},${testSecret}` })
  await watchSecrets(during.deps)()
  const after = await listWebhookSecrets(sql, 'many-', 1000)
  expect(after.filter(({ secret }) => during.deps.keys.webhook.isOutdated(secret))).toEqual([])
  expect(after.length).toBeGreaterThanOrEqual(501)
})

it('a secret that was rotated, or ended, meanwhile is not brought back', async () => {
  const [firm, receiver] = [await found(test.service), await test.receive()]
  const { id: webhookId } = await hookAt(receiver, firm)
  const { sql } = test.service.deps
  const stored = async () => (await listWebhookSecrets(sql, '', 100)).find(({ id }) => id === webhookId)!
  for (const change of [
    () => done(firm.owner.post('/webhook/rotate', { webhookId, overlap: 0 })),
    () => done(firm.owner.post('/webhook/rotate', { webhookId })),
    () => sql`update webhooks set previous_secret = null, previous_ends_at = null where id = ${webhookId}`,
  ]) {
    const before = await stored()
    await change()
    const after = await stored()
    expect(after).not.toEqual(before)
    await resealWebhook(sql, before, before)
    expect(await stored()).toEqual(after)
  }
})
