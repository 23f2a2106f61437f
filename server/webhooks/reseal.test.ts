import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchSecrets } from '../process/watch.ts'
import { done, found } from '../testing/organizations.ts'
import { isSignedBy } from '../testing/receiver.ts'
import { other, random } from '../testing/settings.ts'
import { hookAt, makeTeams, startWebhookTest, type WebhookTest } from '../testing/webhooks.ts'

let test: WebhookTest
beforeAll(async () => {
  test = await startWebhookTest({ SECRET: random })
})
afterAll(() => test.stop())

it('a webhook that was idle for long needs no older secret, nor does the one that it replaces', async () => {
  const [firm, receiver] = [await found(test.service), await test.receive()]
  const { id: webhookId, secret } = await hookAt(receiver, firm)
  await done(firm.owner.post('/webhook/update', { webhookId, paused: true }))
  const rotated = await done(firm.owner.post('/webhook/rotate', { webhookId }))
  const during = await test.service.sibling({ SECRETS: `${other},${random}` })
  await watchSecrets(during.deps)()
  await watchSecrets(during.deps)()
  const after = await test.service.sibling({ SECRETS: other })
  test.send({}, after)
  await done(firm.owner.post('/webhook/update', { webhookId, paused: false }))
  await makeTeams(firm, 1)
  await expect.poll(() => receiver.taken.at(-1)?.type).toBe('team-created')
  for (const each of receiver.taken)
    expect([secret, rotated.secret].map((one) => isSignedBy(each, one))).toEqual([true, true])
})
