import { expect, it } from 'vitest'
import type { Limits } from '../../db/limits.ts'
import { startScriptedProvider } from '../../testing/scripted-provider.ts'
import { testPassword } from '../../testing/service.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Reply, type Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startScriptedProvider)
const service = useTestService(() => ({ ...provider.settings('GITHUB'), RATE_LIMIT: 'on' }))

/** As much as one request may have stored. */
const long = (character: string) => `/${character.repeat(2047)}`
const scopes = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(128, 'x'))
const targets = { callbackURL: long('a'), errorCallbackURL: long('b') }
const link = { provider: 'github', scopes, ...targets }
const signIn = { ...link, newUserCallbackURL: long('c') }
const device = {
  client_id: 'x'.repeat(128),
  scope: 'x'.repeat(512),
  state: 'x'.repeat(512),
  redirect_uri: `http://127.0.0.1:49152/${'x'.repeat(128)}`,
}
const deviceLink = { client_id: device.client_id, provider: 'github' }

/** Rows of what was begun, and their bytes. */
async function stored() {
  const [row] = await service.deps.sql<{ rows: number; bytes: number }[]>`
    select count(*)::integer as rows, coalesce(sum(pg_column_size(v)), 0)::integer as bytes
    from (
      select s::text as v from verifications s where identifier like 'social:%'
      union all select d::text from device_requests d
    ) as begun
  `
  return row ?? { rows: 0, bytes: 0 }
}

async function growth(work: () => Promise<readonly Reply[]>) {
  const before = await stored()
  const replies = await work()
  const after = await stored()
  const count = (status: number) => replies.filter((reply) => reply.status === status).length
  return { done: count(200), refused: count(429), rows: after.rows - before.rows, bytes: after.bytes - before.bytes }
}

const many = (count: number, ask: (index: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
/** The session of somebody, from networks of their own choice. */
const from = (network: string, person: Visitor, path: string, body: object) =>
  service.visitor(network).post(path, body, { cookie: cookieHeader(person.cookies) })
let networks = 0
const newNetwork = () => `203.0.113.${(networks += 1)}`

it('stores a few links of one session, whatever it begins and wherever from', async () => {
  const ann = await service.person()
  const { done, refused, rows, bytes } = await growth(() =>
    many(200, (index) => {
      const network = `198.51.${index}.1`
      return index % 2 === 0 ? from(network, ann, '/link-social', link) : from(network, ann, '/device/link', deviceLink)
    }),
  )
  expect({ done, refused, rows }).toEqual({ done: 20, refused: 180, rows: 20 })
  expect(bytes).toBeLessThan(20 * 32_768)
})

it('stores a few links of one network, whoever begins them', async () => {
  const network = newNetwork()
  const people = await Promise.all([1, 2, 3].map(() => service.person()))
  const { done, refused, rows } = await growth(() =>
    many(60, (index) => from(network, people[index % 3]!, '/link-social', link)),
  )
  expect({ done, refused, rows }).toEqual({ done: 3, refused: 57, rows: 3 })
})

it('counts both by user: a neighbour in the network links on', async () => {
  const [ann, bo] = [await service.person(), await service.person()]
  await many(30, (index) => from(`198.51.${index}.2`, ann, '/link-social', link))
  const network = newNetwork()
  const refusal = await from(network, ann, '/link-social', link)
  expect([refusal.status, Number(refusal.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await many(3, () => from(network, bo, '/link-social', link))).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ])
})

it.each([
  ['/sign-in/social', signIn, 3, 32_768],
  ['/device/code', device, 50, 4096],
])('stores a few rows of %s from one network, signed in or not', async (path, body, most, size) => {
  const ann = await service.person()
  const network = newNetwork()
  const { done, rows, bytes } = await growth(() =>
    many(150, (index) =>
      index % 2 === 0 ? service.visitor(network).post(path, body) : from(network, ann, path, body),
    ),
  )
  expect({ done, rows }).toEqual({ done: most, rows: most })
  expect(bytes).toBeLessThan(most * size)
})

it.each([
  ['a scope more', { scopes: [...scopes, 'one'] }],
  ['a longer scope', { scopes: ['x'.repeat(129)] }],
  ['a longer page', { callbackURL: `${long('a')}a` }],
  ['a longer page for errors', { errorCallbackURL: `${long('a')}a` }],
])('refuses %s, and stores nothing', async (_name, change) => {
  const ann = await service.person()
  const { rows } = await growth(async () => {
    const replies = [
      await ann.post('/link-social', { ...link, ...change }),
      await service.visitor().post('/sign-in/social', { ...signIn, ...change }),
    ]
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ])
    return replies
  })
  expect(rows).toBe(0)
})

it('counts nothing where the settings turn limits off', async () => {
  const free = await service.sibling({ RATE_LIMIT: 'off' })
  const ann = free.visitor(newNetwork())
  await ann.post('/sign-up/email', { email: 'free@example.com', name: 'Ann', password: testPassword })
  const replies = await many(30, () => ann.post('/link-social', { provider: 'github' }))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
})

it('cannot be begun without a limit', () => {
  // @ts-expect-error An empty list does not compile.
  const none: Limits = []
  expect(none).toEqual([])
})
