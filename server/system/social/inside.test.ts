import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerJson, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { back, begin } from '../../testing/scripted-sign-in.ts'
import { createTestService } from '../../testing/service.ts'
import { locationOf } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'

/** What listens inside, on an address that no setting writes out. */
let inside: string
let connections = 0
const trap = createServer((socket) => {
  connections += 1
  socket.destroy()
})
const provider = useStarted(startScriptedProvider)
beforeAll(async () => {
  trap.listen(0, '127.0.0.1')
  await once(trap, 'listening')
  inside = `https://127.0.0.1:${(trap.address() as AddressInfo).port}`
})
afterAll(() => {
  trap.close()
})

const settings = () => ({
  OIDC_ACME_ISSUER: provider.url,
  OIDC_ACME_CLIENT_ID: 'acme-client',
  OIDC_ACME_CLIENT_SECRET: 'secret-of-acme',
  KEY_ISSUERS: provider.url,
})

/** The provider says of itself that it is asked inside. */
const leadInside = (change: Record<string, string>) => {
  provider.answers['/.well-known/openid-configuration'] = answerJson({
    issuer: provider.url,
    authorization_endpoint: `${provider.url}/authorize`,
    token_endpoint: `${provider.url}/token`,
    jwks_uri: `${provider.url}/jwks`,
    ...change,
  })
}

/** Its causes and their causes, as the log has them. */
const told = (logged: readonly unknown[]) => JSON.stringify(logged)

const token = (issuer: string) =>
  [{ alg: 'RS256', kid: 'k' }, { iss: issuer, sub: 's', aud: 'http://localhost:4100', exp: 9e9, iat: 1 }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

const exchange = (issuer: string) => ({
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  subject_token: token(issuer),
  organization: 'acme',
})

it('no document of a provider leads the service inside', async () => {
  const service = await createTestService(settings())
  leadInside({ token_endpoint: `${inside}/token` })
  const ann = service.visitor()
  const state = await begin(ann, { provider: 'acme' })
  expect(locationOf(await back(ann, state, 'code=c', 'acme'))).toBe('/oops?x=1&error=invalid_code')
  expect(connections).toBe(0)
  expect(told(service.logged)).toContain('127.0.0.1 is not asked')
  await service.stop()
})

it('nor does that of a CI provider', async () => {
  const service = await createTestService(settings())
  leadInside({ jwks_uri: `${inside}/keys` })
  const reply = await service.visitor().post('/token-exchange', exchange(provider.url))
  expect([reply.status, reply.headers.get('retry-after'), connections]).toEqual([503, '5', 0])
  await service.stop()
})

it('but where the settings name the network', async () => {
  const service = await createTestService({ ...settings(), OUTBOUND_PRIVATE_NETWORKS: '127.0.0.0/8' })
  leadInside({ token_endpoint: `${inside}/token`, jwks_uri: `${inside}/keys` })
  const ann = service.visitor()
  const state = await begin(ann, { provider: 'acme' })
  expect(locationOf(await back(ann, state, 'code=c', 'acme'))).toBe('/oops?x=1&error=invalid_code')
  expect(connections).toBe(1)
  await service.visitor().post('/token-exchange', exchange(provider.url))
  expect(connections).toBe(2)
  await service.stop()
})
