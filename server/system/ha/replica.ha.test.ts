import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startPooler } from '../../testing/ha/pooler.ts'
import { at, openReader, position, readAt, rested, warm } from '../../testing/ha/readers.ts'
import { type Replicated, startReplicated } from '../../testing/ha/replicated.ts'
import { lists, makeWorld, type World, writes } from '../../testing/ha/world.ts'
import { organizationKey } from '../../testing/machines.ts'
import type { TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { cookieHeader } from '../../testing/visitor.ts'

vi.setConfig({ testTimeout: 120_000 * slack, hookTimeout: 200_000 * slack })

let servers: Replicated
/** Two services with the replica, and one without. */
let one: TestService
let other: TestService
let plain: TestService
beforeAll(async () => {
  servers = await startReplicated()
  const alone = { DATABASE_REPLICA_URL: undefined }
  ;[one, other, plain] = await Promise.all([openReader(servers), openReader(servers), openReader(servers, alone)])
})
afterAll(async () => {
  await Promise.all([one, other, plain].map((service) => service.stop()))
  await servers.stop()
})

describe('with a replica that keeps up', () => {
  let world: World
  beforeAll(async () => {
    world = await makeWorld(plain)
    await servers.caughtUp()
    await warm(one, world.owner)
  })

  it.each(Object.entries(lists))('%s: the replica gives the same list', async (_name, listOf) => {
    const [reader, path] = listOf(world)
    const expected = await rested(plain, reader).get(path)
    const { place, ...reply } = await readAt(one, () => rested(one, reader).get(path))
    expect([place, reply.status, expected.status]).toEqual(['replica', 200, 200])
    expect(reply.text).toBe(expected.text)
    expect(reply.headers.get('link')).toBe(expected.headers.get('link'))
    expect(reply.text.length).toBeGreaterThan(100)
  })

  it.each(Object.entries(lists))('%s: two trips to the primary at most, and one to the replica', async (_, listOf) => {
    const [reader, path] = listOf(world)
    const own = rested(one, reader)
    await own.get(path)
    const counts: (readonly [primary: number, replica: number])[] = []
    for (let time = 0; time < 5; time += 1) {
      const before = [one.trips.count, one.reads.trips] as const
      expect((await own.get(path)).status).toBe(200)
      counts.push([one.trips.count - before[0], one.reads.trips - before[1]])
    }
    // A look at the primary, once a second at most, belongs to no request.
    expect(Math.min(...counts.map(([primary]) => primary))).toBeLessThanOrEqual(2)
    expect(counts.map(([, replica]) => replica)).toEqual([1, 1, 1, 1, 1])
  })

  it('is read through PgBouncer, too', async () => {
    const pooler = await startPooler(servers.replica.url, ['default_pool_size = 4'])
    const pooled = await openReader(servers, { DATABASE_REPLICA_URL: pooler.databaseUrl, DATABASE_PREPARE: 'off' })
    await warm(pooled, world.owner)
    const [reader, path] = lists['an organization by slug']!(world)
    const { place, text } = await readAt(pooled, () => rested(pooled, reader).get(path))
    expect([place, text]).toEqual(['replica', (await rested(plain, reader).get(path)).text])
    await pooled.stop()
    await pooler.stop()
  })

  const sealed = (text: string): string => one.deps.keys.position.seal(text, 'position').toString('base64url')
  const history = async (): Promise<string> => (await one.deps.replica?.markNow())?.split(' ')[0] ?? ''
  const positions: Readonly<Record<string, () => string | Promise<string>>> = {
    'that is none': () => 'AAAA',
    'that is long': () => 'x'.repeat(3000),
    'that nobody knows': () => sealed('unknown'),
    'that the primary has not reached': async () => sealed(`${await history()} ${10n ** 15n}`),
    'of another timeline': async () => sealed(`${(await history()).replace(/1$/, '2')} 1`),
    'sealed for something else': () => one.deps.keys.signUp.seal('unknown', 'position').toString('base64url'),
  }

  it.each(Object.entries(positions))('a caller with a position %s is answered by the primary', async (_name, make) => {
    const headers = { cookie: `${cookieHeader(rested(one, world.owner).cookies)}; ${position}=${await make()}` }
    const { status, place, body } = await readAt(one, () => one.visitor().get('/organization/list', headers))
    expect([status, place, body.length]).toEqual([200, 'primary', 1])
  })

  it.each(['as a bearer token', 'with a key'])('a caller who comes %s is answered by the primary', async (way) => {
    const session = decodeURIComponent(world.owner.cookies.get('postern.session_token') ?? '')
    const token = way === 'with a key' ? (await organizationKey(world.acme)).token : session
    const headers = { authorization: `Bearer ${token}` }
    const { status, place, body } = await readAt(one, () => one.visitor().get('/organization/list', headers))
    expect([status, place, body.length]).toEqual([200, 'primary', 1])
  })

  it('tells nobody how much is written, and keeps the position for half a minute', async () => {
    const reply = await rested(one, world.owner).post('/update-user', { name: 'Anna' })
    const [line = '', ...more] = reply.setCookies.filter((cookie) => cookie.startsWith(`${position}=`))
    expect(more).toEqual([])
    expect(line).toMatch(/; Max-Age=30; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(line.length).toBeLessThan(250)
    const text = Buffer.from(line.slice(position.length + 1).split(';')[0] ?? '', 'base64url').toString('latin1')
    expect(text).not.toContain('/00000001 ')
  })
})

describe('with a replica that is held back', () => {
  let world: World
  beforeAll(async () => {
    world = await makeWorld(plain)
    await servers.caughtUp()
    await warm(one, world.owner)
    await warm(other, world.owner)
    servers.holdBack(5)
  })
  afterAll(() => servers.holdBack(0))

  it.each(Object.entries(writes))('%s: who wrote finds it at the other service', async (_name, write) => {
    const { by, path, wanted } = await write(world, (person) => at(one, person))
    const own = await at(other, by).get(path)
    expect([own.status, own.text.includes(wanted.text)]).toEqual([200, wanted.isThere])
    const stranger = await readAt(other, () => rested(other, by).get(path))
    // Without the position the same list comes from the replica, which does not have it yet.
    expect([stranger.place, stranger.status]).toEqual(['replica', 200])
    expect(stranger.text.includes(wanted.text)).toBe(!wanted.isThere)
  })

  it('nobody waits long for what cannot come', async () => {
    const { owner } = world
    await at(one, owner).post('/update-user', { name: 'Late' })
    const [trips] = [one.reads.trips]
    for (let time = 0; time < 5; time += 1) await at(one, owner).get('/organization/list')
    // Four tries of the first, then one of each other within the same second.
    expect(one.reads.trips - trips).toBeLessThanOrEqual(4 + 4 * 4)
  })
})
