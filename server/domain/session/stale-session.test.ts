import { expect, it } from 'vitest'
import { trustFields, trustIn } from '../../testing/key-answers.ts'
import { organizationKey } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { type Founded, found } from '../../testing/organizations.ts'
import { ageSessions, dumpTables } from '../../testing/rows.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import { receiverUrl, webhookOf } from '../../testing/webhook-calls.ts'

// Access that outlives a session is not had from a stolen one, whatever its owner may do.

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ KEY_ISSUERS: provider.url }))

/** What an owner asks for who would get it in a fresh session. */
const requests: Record<string, (acme: Founded, admin: Founded) => object | Promise<object>> = {
  '/webhook/create': ({ id }) => ({ url: receiverUrl, organizationId: id }),
  '/webhook/update': async (acme) => ({ webhookId: (await webhookOf(acme)).id, url: `${receiverUrl}/other` }),
  '/webhook/rotate': async (acme) => ({ webhookId: (await webhookOf(acme)).id }),
  '/key/create': ({ id }) => ({ name: 'ci', organizationId: id, role: 'admin' }),
  '/api-key/create': () => ({ name: 'ci' }),
  '/key/rotate': async (acme) => ({ keyId: (await organizationKey(acme)).id }),
  '/key/adopt': async (_acme, admin) => ({ keyId: (await organizationKey(admin)).id }),
  '/key/trust/create': (acme) => trustFields(acme, provider),
  '/key/trust/adopt': async (_acme, admin) => ({ trustId: (await trustIn(admin, provider)).id }),
  '/organization/remove-member': async (_acme, admin) => {
    await organizationKey(admin)
    return { memberIdOrEmail: admin.owner.memberId, keys: 'adopt' }
  },
}

it.each(Object.keys(requests))('%s is refused in a stale session, and changes nothing', async (path) => {
  const acme = await found(service)
  const fields = await requests[path]!(acme, { ...acme, owner: await acme.join('admin') })
  await ageSessions(service, acme.owner.email, 2 * 86_400)
  const before = await dumpTables(service, 'sessions')
  const stale = await acme.owner.post(path, fields)
  expect(stale).toMatchObject({ status: 403, body: { code: 'SESSION_IS_NOT_FRESH' } })
  expect(await dumpTables(service, 'sessions')).toBe(before)
  await ageSessions(service, acme.owner.email, -2 * 86_400)
  expect((await acme.owner.post(path, fields)).status).toBe(200)
})
