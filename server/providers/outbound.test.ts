import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedProvider, startScriptedProvider } from '../testing/scripted-provider.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { locationOf } from '../testing/social.ts'
import { createCallOut } from './outbound.ts'

let provider: ScriptedProvider
beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider.stop())

async function signIn(service: TestService): Promise<string> {
  const visitor = service.visitor()
  const { body } = await visitor.post('/sign-in/social', { provider: 'github', errorCallbackURL: '/no' })
  const state = new URL(body.url).searchParams.get('state')
  return locationOf(await visitor.get(`/callback/github?state=${state}&code=c`))
}

describe('a provider that stalls', () => {
  it('holds nobody else up', async () => {
    const service = await createTestService({ ...provider.settings('GITHUB'), DATABASE_POOL: '2' })
    const ann = await service.person()
    const waiting: ServerResponse[] = []
    provider.answers['/token'] = (response) => waiting.push(response)
    const signIns = Array.from({ length: 200 }, () => signIn(service))
    // All of them at once on a free machine; on a busy one the first have given up when the last arrive.
    await expect.poll(() => waiting.length).toBeGreaterThan(100)
    for (let round = 0; round < 20; round += 1) expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    provider.answers['/token'] = answerJson({ error: 'bad' })
    for (const response of waiting) answerJson({ error: 'bad' })(response, new URLSearchParams(), undefined as never)
    expect(new Set(await Promise.all(signIns))).toEqual(new Set(['/no?error=invalid_code']))
    await service.stop()
  })

  it('is left alone after ten failures, and asked again after a rest', async () => {
    let now = 0
    const callOut = createCallOut(() => now)
    const asked = () => provider.requests.filter(({ line }) => line === 'GET /down').length
    provider.answers['/down'] = answerJson({}, 503)
    const ask = () =>
      callOut(`${provider.url}/down`).then(
        ({ status }) => status,
        () => 'left alone',
      )
    for (let round = 0; round < 10; round += 1) expect(await ask()).toBe(503)
    expect([await ask(), asked()]).toEqual(['left alone', 10])
    now += 30_000
    expect([await ask(), await ask(), asked()]).toEqual([503, 'left alone', 11])
    now += 30_000
    provider.answers['/down'] = answerJson({})
    expect([await ask(), await ask(), asked()]).toEqual([200, 200, 13])
  })
})
