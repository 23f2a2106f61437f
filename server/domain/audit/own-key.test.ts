import { expect, it, onTestFinished } from 'vitest'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { done, found } from '../../testing/organizations.ts'
import { createTestService } from '../../testing/service.ts'

it('an organization sees where its machines are, and not where a person’s own key is', async () => {
  const service = await createTestService()
  onTestFinished(() => service.stop())
  const acme = await found(service)
  const ann = await acme.join('admin')
  const [own, ofAcme] = [await ownKey(ann), await organizationKey(acme)]
  for (const [token, address] of [
    [own.token, '192.0.2.1'],
    [ofAcme.token, '192.0.2.2'],
  ] as const) {
    const team = { name: address, organizationId: acme.id }
    await done(machine(service, token, address).post('/organization/create-team', team))
  }
  const { events } = await done(
    acme.owner.get(`/organization/list-activity?event=team-created&organizationId=${acme.id}`),
  )
  const seen = events.map(({ keyId, ipAddress }: Record<string, string>) => [keyId, ipAddress])
  expect(seen).toEqual([
    [ofAcme.id, '192.0.2.2'],
    [own.id, null],
  ])
})
