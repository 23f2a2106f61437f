import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readProviders } from '../settings/providers.ts'
import { createProviders } from './create-providers.ts'
import { harbour } from './harbour.fixture.ts'
import { providers } from './providers.ts'

const settings = {
  HARBOUR_CLIENT_ID: 'ours',
  HARBOUR_CLIENT_SECRET: 'a-secret',
  HARBOUR_BERTH: 'north',
}

test('a provider that nobody has heard of is one short file, and one line in a list', async () => {
  expect(readFileSync(new URL('harbour.fixture.ts', import.meta.url), 'utf8').split('\n').length).toBeLessThan(60)
  const asked: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()))
    request.on('end', () => asked.push(`${request.method} ${request.url} ${body}`))
    response.setHeader('content-type', 'application/json')
    const isToken = request.url === '/token'
    response.end(
      isToken ? '{"access_token":"a","token_type":"Bearer"}' : '{"pilot":{"number":7,"mail":"ann@example.com"}}',
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const given = { ...settings, HARBOUR_TOKEN_URL: `${origin}/token`, HARBOUR_USERINFO_URL: `${origin}/me` }

  const read = readProviders(given, [...providers, harbour])
  expect(read.problems).toEqual([])
  const all = createProviders(read.providers, Date.now)
  const configured = all.find('harbour')
  if (!configured) throw new Error('The nineteenth is not there')
  const beginning = { redirectUri: 'https://id.example.com/api/auth/callback/harbour', state: 's', nonce: 'n' }
  const verifier = 'v'.repeat(128)
  const url = await all.begin(configured, { ...beginning, verifier, scopes: [], loginHint: undefined })
  expect(url).toMatch(/^https:\/\/harbour\.example\/authorize\?berth=north&response_type=code&client_id=ours&/)
  expect(url).toMatch(/code_challenge=[\w-]{43}&code_challenge_method=S256/)

  const { identity } = await all.redeem(
    configured,
    { ...beginning, verifier, code: 'c', iss: undefined, callback: {} },
    'somebody',
  )
  const bare = { emailVerified: false, name: '', image: null, isImageUnread: false }
  expect(identity).toEqual({ id: '7', email: 'ann@example.com', ...bare })
  expect(asked).toEqual([expect.stringMatching(/^POST \/token .*code=c/), 'GET /me '])
  server.close()
})

test('half of its settings stop the start', () => {
  const { HARBOUR_CLIENT_SECRET: _secret, ...half } = settings
  const { problems } = readProviders({ ...half, HARBOUR_BERTH: 'north pole' }, [harbour])
  expect(problems).toEqual([
    'HARBOUR_BERTH is "north pole": expected one word',
    'HARBOUR_CLIENT_SECRET is missing: HARBOUR_CLIENT_ID is set, but sign-in with Harbour needs this too',
  ])
})
