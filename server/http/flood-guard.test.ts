import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestService, type TestService } from '../testing/service.ts'
import { createFloodGuard } from './flood-guard.ts'

let time = Date.now()

describe('the flood guard', () => {
  const count = (guard: ReturnType<typeof createFloodGuard>, key: string, times: number, max = 100) =>
    Array.from({ length: times }, () => guard(key, max))

  it('lets so many pass in ten seconds, then says how long to wait', () => {
    const guard = createFloodGuard(() => time)
    expect(new Set(count(guard, 'a', 100))).toEqual(new Set([null]))
    expect(guard('a', 100)).toBe(10)
    time += 9001
    expect(guard('a', 100)).toBe(1)
    time += 999
    expect(guard('a', 100)).toBeNull()
  })

  it('counts each key by itself', () => {
    const guard = createFloodGuard(() => time)
    count(guard, 'a', 101)
    expect(guard('b', 100)).toBeNull()
  })

  it('forgets the oldest keys when there are too many, so that its memory is bounded', () => {
    const guard = createFloodGuard(() => time)
    count(guard, 'victim', 101)
    for (let index = 0; index < 49_998; index += 1) guard(`key ${index}`, 100)
    expect(guard('victim', 100)).toBe(10)
    for (let index = 0; index < 3; index += 1) guard(`more ${index}`, 100)
    expect(guard('victim', 100)).toBeNull()
  })
})

describe('at the edge', () => {
  let service: TestService
  beforeAll(async () => {
    service = await createTestService({ RATE_LIMIT: 'on' }, { now: () => new Date(time) })
  })
  afterAll(() => service.stop())

  const refused = { status: 429, text: '{"message":"Too many requests. Please try again later."}', setCookies: [] }

  it('refuses the 101st request of an address to one call, without asking the database', async () => {
    const visitor = service.visitor()
    for (let index = 0; index < 100; index += 1) expect((await visitor.get('/get-session')).status).toBe(200)
    service.statements.forget()
    const reply = await visitor.get('/get-session')
    expect(reply).toMatchObject(refused)
    expect([reply.headers.get('retry-after'), reply.headers.get('x-retry-after')]).toEqual(['10', '10'])
    expect(service.statements.list).toEqual([])
    expect((await visitor.get('/ok')).status).toBe(200)
    expect((await service.visitor().get('/get-session')).status).toBe(200)
    time += 10_000
    expect((await visitor.get('/get-session')).status).toBe(200)
  })

  it('counts a /64 as one address', async () => {
    for (let index = 0; index < 100; index += 1) await service.visitor(`2001:db8::${index + 1}`).get('/ok')
    expect(await service.visitor('2001:db8::ffff').get('/ok')).toMatchObject(refused)
  })

  it('counts all that is no call under one key', async () => {
    const visitor = service.visitor()
    const odd = ['/a', '//ok', '/ok/', '/OK', '/%6fk']
    for (let index = 0; index < 100; index += 1)
      expect((await visitor.send(`${odd[index % 5]}${index}`, { method: index % 2 ? 'PUT' : 'GET' })).status).toBe(404)
    expect(await visitor.get('/another')).toMatchObject(refused)
    expect((await visitor.get('/ok')).status).toBe(200)
  })

  it('counts a signed session by itself, wherever it comes from, and never asks who it is', async () => {
    const { cookies } = await service.person()
    const cookie = `postern.session_token=${cookies.get('postern.session_token')}`
    service.statements.forget()
    for (let index = 0; index < 2000; index += 1) await service.visitor('192.0.2.1').get('/ok', { cookie })
    expect(await service.visitor('192.0.2.2').get('/list-sessions', { cookie })).toMatchObject(refused)
    expect((await service.visitor('192.0.2.1').get('/ok')).status).toBe(200)
    expect(service.statements.list).toEqual([])
  })

  it('is not escaped by inventing tokens', async () => {
    const token = (index: number) => String(index).padStart(43, 'x')
    const visitor = service.visitor('192.0.2.3')
    for (let index = 0; index < 2000; index += 1) await visitor.get('/ok', { authorization: `Bearer ${token(index)}` })
    expect(await visitor.get('/ok', { authorization: `Bearer ${token(2000)}` })).toMatchObject(refused)
    const forger = service.visitor('192.0.2.4')
    for (let index = 0; index < 100; index += 1)
      await forger.get('/ok', { cookie: `postern.session_token=${token(index)}.${'A'.repeat(43)}%3D` })
    expect(await forger.get('/ok')).toMatchObject(refused)
  })
})
