import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { answerJson, startScriptedProvider, tokenReply } from '../testing/scripted-provider.ts'
import { back, begin } from '../testing/scripted-sign-in.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import { locationOf } from '../testing/social.ts'
import { useStarted } from '../testing/use-service.ts'
import { createProtectedLookup } from './destination.ts'
import { createOutbound, statusOf } from './outbound.ts'

const provider = useStarted(startScriptedProvider)

async function signIn(service: TestService, network?: string): Promise<string> {
  const visitor = service.visitor(network)
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
    const signIns = Array.from({ length: 110 }, () => signIn(service))
    // All of them at once on a free machine; on a busy one the first have given up when the last arrive.
    await expect.poll(() => waiting.length).toBeGreaterThan(100)
    for (let round = 0; round < 20; round += 1) expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
    provider.answers['/token'] = answerJson({ error: 'bad' })
    for (const response of waiting) answerJson({ error: 'bad' })(response, new URLSearchParams(), undefined as never)
    expect(new Set(await Promise.all(signIns))).toEqual(new Set(['/no?error=invalid_code']))
    await service.stop()
  })
})

describe('a provider that fails', () => {
  const downs = () => provider.requests.filter(({ line }) => line === 'GET /down').length
  const outbound = (now: () => number) => {
    const callOutFor = createOutbound({ now, written: [provider.url] })
    return (caller: string) =>
      callOutFor(caller)(`${provider.url}/down`).then(
        ({ status }) => status,
        () => 'left alone',
      )
  }

  it('is left alone after failures of ten callers, and asked again after a rest', async () => {
    let now = 0
    const ask = outbound(() => now)
    provider.answers['/down'] = answerJson({}, 503)
    for (let index = 0; index < 10; index += 1) expect(await ask(`caller ${index}`)).toBe(503)
    expect([await ask('ann'), downs()]).toEqual(['left alone', 10])
    now += 30_000
    expect([await ask('ann'), await ask('bo'), await ask('cy'), downs()]).toEqual([503, 503, 'left alone', 12])
    now += 30_000
    provider.answers['/down'] = answerJson({})
    expect([await ask('ann'), await ask('bo'), downs()]).toEqual([200, 200, 14])
  })

  it('is asked on while one alone fails, or gets an answer that is no failure', async () => {
    const ask = outbound(() => 0)
    for (const status of [500, 400, 401, 404, 429]) {
      provider.answers['/down'] = answerJson({}, status)
      const callerOf = (index: number) => (status === 500 ? 'ann' : `caller ${index}`)
      for (let index = 0; index < 30; index += 1) expect(await ask(callerOf(index))).toBe(status)
    }
  })

  it('is left alone after ten calls that found no connection, whoever asked', async () => {
    const gone = await startScriptedProvider()
    await gone.stop()
    const ask = createOutbound({ now: () => 0, written: [gone.url] })('ann')
    const messages: string[] = []
    for (let index = 0; index < 11; index += 1)
      messages.push(await ask(gone.url).then(String, ({ message }: Error) => message))
    expect(messages.map((message) => /ECONNREFUSED/.test(message))).toEqual([...Array(10).fill(true), false])
    expect(messages[10]).toContain('not called for a while')
  })

  it.each(['\n', '\u0001', 'š'])('is not blamed for a call that cannot be sent: %j', async (character) => {
    provider.answers['/well'] = answerJson({})
    const ask = createOutbound({ now: () => 0, written: [provider.url] })
    const headers = { authorization: `Bearer x${character}y` }
    for (let index = 0; index < 10; index += 1)
      await expect(ask(`caller ${index}`)(`${provider.url}/well`, { headers })).rejects.toThrow(/header|ByteString/i)
    expect((await ask('bo')(`${provider.url}/well`)).status).toBe(200)
  })

  it('at the codes of one person is there for everybody else', async () => {
    const service = await createTestService({ ...provider.settings('GITHUB') })
    provider.answers['/token'] = (response, body) =>
      answerJson(body.get('code') === 'c' ? { error: 'bad' } : tokenReply, body.get('code') === 'c' ? 500 : 200)(
        response,
        body,
        undefined as never,
      )
    provider.answers['/user'] = answerJson({ id: 7, login: 'bo', name: 'Bo', email: null })
    provider.answers['/user/emails'] = answerJson([{ email: 'bo@example.com', primary: true, verified: true }])
    const hers = Array.from({ length: 10 }, (_, index) => index)
    for (const index of hers) expect(await signIn(service, `2001:db8:1:${index}::1`)).toBe('/no?error=invalid_code')
    const bo = service.visitor()
    expect(locationOf(await back(bo, await begin(bo), 'code=good'))).toBe('/welcome')
    for (const index of hers) await signIn(service, `203.0.113.${index}`)
    expect(locationOf(await back(bo, await begin(bo), 'code=good'))).toBe('/oops?x=1&error=invalid_code')
    await service.stop()
  })
})

describe('an answer', () => {
  const ask = (path: string, asked = {}) =>
    createOutbound({ now: () => 0, written: [provider.url] })('ann')(`${provider.url}${path}`, asked)

  it('is read whole, with its headers', async () => {
    provider.answers['/whole'] = (response) =>
      response.writeHead(200, { 'content-type': 'image/png', 'x-one': ['1', '2'] }).end(Buffer.from([0, 255]))
    const response = await ask('/whole')
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255])
    expect([response.headers.get('content-type'), response.headers.get('x-one')]).toEqual(['image/png', '1, 2'])
  })

  it('without a body is one', async () => {
    provider.answers['/none'] = (response) => response.writeHead(204).end()
    expect((await ask('/none')).status).toBe(204)
  })

  it('that is too long, breaks off, or changes to another protocol is none', async () => {
    provider.answers['/long'] = (response) => response.end('x'.repeat(262_145))
    provider.answers['/half'] = (response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x')
      response.socket?.end()
    }
    provider.answers['/other'] = (response) => response.socket?.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    await expect(ask('/long')).rejects.toThrow('longer than 262144 bytes')
    await expect(ask('/half')).rejects.toThrow('aborted')
    await expect(ask('/other')).rejects.toThrow('status')
  })

  it('is asked for by what was given, and as us', async () => {
    provider.answers['/form'] = answerJson({})
    const body = new URLSearchParams({ a: 'b c' })
    await ask('/form', { method: 'POST', body, headers: { 'user-agent': 'web:us:1.0' } })
    const sent = provider.requests.find(({ line }) => line === 'POST /form')
    expect([...(sent?.body ?? [])]).toEqual([['a', 'b c']])
    expect(sent?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      'content-length': '5',
      'user-agent': 'web:us:1.0',
      'accept-encoding': 'identity',
      host: new URL(provider.url).host,
    })
  })
})

it('gives up a request that nobody answers, whatever a garbage collection takes', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  const way = { lookup: createProtectedLookup({ written: [url.origin] })(url), answerTime: 300 }
  const { signal } = new AbortController()
  const asked = Array.from({ length: 8 }, () => statusOf(url, { method: 'POST', body: '{}', signal }, way))
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const collecting = setInterval(collect, 20)
  const ended = await Promise.allSettled(asked)
  clearInterval(collecting)
  silent.closeAllConnections()
  silent.close()
  expect(ended.map((one) => one.status === 'rejected' && (one.reason as Error).name)).toEqual(
    asked.map(() => 'TimeoutError'),
  )
})

it('reads no more than some hundred pieces of an answer of which only the status counts', async () => {
  let written = 0
  const crumbling = createServer((_request, response) => {
    const write = () => {
      if (response.destroyed) return
      response.write('.')
      written += 1
      setImmediate(write)
    }
    write()
  }).listen(0, '127.0.0.1')
  await once(crumbling, 'listening')
  const url = new URL(`http://127.0.0.1:${(crumbling.address() as AddressInfo).port}/`)
  const way = { lookup: createProtectedLookup({ written: [url.origin] })(url), answerTime: 30_000 }
  expect((await statusOf(url, {}, way)).status).toBe(200)
  expect(written).toBeLessThan(2000)
  crumbling.closeAllConnections()
  crumbling.close()
})
