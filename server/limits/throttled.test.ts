import { beforeAll, expect, it } from 'vitest'
import { knownCalls } from '../testing/calls.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import type { Reply, Visitor } from '../testing/visitor.ts'

const once = { max: 1, window: '1h' }
const limits = { calls: once, visits: once, sessionCalls: once }
const service = useTestService({ RATE_LIMIT: 'on' }, { limits })
const ann = useMade(() => service.person())
beforeAll(async () => {
  // The first request counts by network, since nobody knew yet that the session is live.
  for (const _ of [1, 2]) await ann.get('/list-sessions')
})

const told = ({ status, body, headers }: Reply) => [
  status,
  body,
  ...['content-type', 'retry-after', 'x-retry-after'].map((name) => headers.get(name)),
]
const seconds = expect.stringMatching(/^[1-9]\d*$/)
const message = 'Too many requests. Please try again later.'
const tooMany = [429, { code: 'TOO_MANY_REQUESTS', message }, 'application/json', seconds, seconds]

it.each(knownCalls.filter(({ name }) => name !== 'ok' && name !== 'ready'))(
  'a flood of $name is told its code and when to come back',
  async ({ call, path, input, headers }) => {
    const ask = (visitor: Visitor) =>
      call.method === 'GET' ? visitor.get(path, headers) : visitor.post(path, input, headers)
    const address = `198.51.100.${knownCalls.findIndex((one) => one.call === call)}`
    await ask(service.visitor(address))
    expect(told(await ask(service.visitor(address)))).toEqual(tooMany)
    const reply = await ask(call.access === 'session' ? ann : service.visitor(address))
    expect(told(reply)).toEqual(tooMany)
  },
)

it('so is a flood of what is no call', async () => {
  const stranger = service.visitor()
  await stranger.get('/nothing')
  expect(told(await stranger.get('/nothing-else'))).toEqual(tooMany)
})

it('what a foreign page sends uses up nothing of its visitors, and is a flood by itself', async () => {
  const office = service.visitor()
  const from = { origin: 'https://evil.test', 'content-type': 'text/plain' }
  expect((await office.post('/sign-in/email', {}, from)).status).toBe(403)
  expect(told(await office.post('/sign-in/email', {}, from))).toEqual(tooMany)
  expect((await office.post('/sign-in/email', {})).status).toBe(400)
  expect(told(await office.post('/sign-in/email', {}))).toEqual(tooMany)
  const look = (headers: Record<string, string>) => office.get('/device?user_code=BCDF-GHJK', headers)
  expect((await look({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect(told(await look({ 'sec-fetch-site': 'cross-site' }))).toEqual(tooMany)
  expect((await look({})).status).toBe(400)
})

it('a read that is refused to no page counts alike, whatever page sends it', async () => {
  const office = service.visitor()
  expect((await office.get('/list-sessions', { 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  expect(told(await office.get('/list-sessions'))).toEqual(tooMany)
})
