import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readProviders } from '../settings/providers.ts'
import { createProviders } from './create-providers.ts'

/** A provider that holds every answer until the test gives it. */
async function startHolding() {
  const held: { readonly path: string; readonly response: ServerResponse }[] = []
  const server = createServer(({ url = '' }, response) => void held.push({ path: url, response }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { held, issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it('looks for endpoints and keys within the time of its sign-in, and keeps what comes later for the next', async () => {
  const { held, issuer } = await startHolding()
  const settings = { OIDC_SLOW_ISSUER: issuer, OIDC_SLOW_CLIENT_ID: 'a', OIDC_SLOW_CLIENT_SECRET: 'b' }
  const read = readProviders(settings)
  expect(read.problems).toEqual([])
  const providers = createProviders(read.providers, Date.now, { times: { answer: 60_000, flow: 200 } })
  const token = [{ alg: 'RS256' }, { iss: issuer, sub: 'x' }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const identify = () => providers.identify(read.providers[0]!, { token, nonce: null }, 'somebody')
  const refusal = { name: 'ProviderError', step: 'discovery', cause: { name: 'TimeoutError' } }
  await expect(identify()).rejects.toMatchObject(refusal)
  await expect.poll(() => held.map(({ path }) => path)).toEqual(['/.well-known/openid-configuration'])
  const found = {
    issuer,
    authorization_endpoint: `${issuer}/a`,
    token_endpoint: `${issuer}/t`,
    jwks_uri: `${issuer}/keys`,
  }
  held[0]!.response.setHeader('content-type', 'application/json').end(JSON.stringify(found))
  // Once the endpoints are known it is the keys that are waited for, no longer than that either.
  await expect
    .poll(async () => {
      await expect(identify()).rejects.toMatchObject(refusal)
      return held.map(({ path }) => path)
    })
    .toEqual(['/.well-known/openid-configuration', '/keys'])
})
