import { describe, expect, it } from 'vitest'
import { userOf } from '../../testing/mailed.ts'
import { found, newSlug, serverHeaders } from '../../testing/organizations.ts'
import { type TestService, testServiceKey } from '../../testing/service.ts'
import { personWithRole } from '../../testing/tokens.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const acme = useMade(() => found(service))

const next = 'Hy6Tn2Wq9Zc4Vb8Xm1Kd5Rg7Js3Lp0Fa'
const newcomer = async () => (await userOf(service, (await service.person()).email)).id

async function withoutPassword(): Promise<string> {
  const id = await newcomer()
  await service.deps.sql`delete from accounts where user_id = ${id}`
  return id
}

/** Each call for trusted servers, and its status for everybody else. */
const calls: Record<string, { ask: () => Promise<{ path: string; body: object }>; refused: number }> = {
  'set-password': {
    ask: async () => ({
      path: '/set-password',
      body: { newPassword: 'another horse battery staple', userId: await withoutPassword() },
    }),
    refused: 404,
  },
  'add-member': {
    ask: async () => ({
      path: '/organization/add-member',
      body: { userId: await newcomer(), role: 'member', organizationId: acme.id },
    }),
    refused: 404,
  },
  'organization/create': {
    ask: async () => ({
      path: '/organization/create',
      body: { name: 'Other', slug: newSlug(), userId: await newcomer() },
    }),
    refused: 401,
  },
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const wrongHeaders: Record<string, Record<string, string>> = {
  'no key': {},
  'another key': { authorization: `Bearer ${next}` },
  'a longer key': { authorization: `Bearer ${testServiceKey}x` },
  'a shorter key': { authorization: `Bearer ${testServiceKey.slice(0, -1)}` },
  'the key in other letters': { authorization: `Bearer ${testServiceKey.toUpperCase()}` },
  'the key in Basic, as a password': { authorization: basic(`server:${testServiceKey}`) },
  'the key in Basic, as a name': { authorization: basic(`${testServiceKey}:`) },
  'the key after Basic': { authorization: `Basic ${testServiceKey}` },
  'the key after Token': { authorization: `Token ${testServiceKey}` },
  'the key without a scheme': { authorization: testServiceKey },
  'the key twice': { authorization: `Bearer ${testServiceKey}, Bearer ${testServiceKey}` },
  'the key in a header of its own': { 'x-api-key': testServiceKey, 'x-service-key': testServiceKey },
  'the key as a cookie': { cookie: `postern.session_token=${testServiceKey}` },
}

describe.each(Object.entries(calls))('%s', (_name, { ask, refused }) => {
  it.each(Object.entries(wrongHeaders))('is not for %s', async (_what, headers) => {
    const { path, body } = await ask()
    expect((await service.visitor().post(path, body, headers)).status).toBe(refused)
    const inQuery = await service.visitor().post(`${path}?key=${testServiceKey}&token=${testServiceKey}`, body)
    expect(inQuery.status).toBe(refused)
  })

  it.each(['Bearer', 'bearer'])('is for who sends the key after %s, once', async (scheme) => {
    const { path, body } = await ask()
    const headers = { authorization: `${scheme} ${testServiceKey}` }
    const first = await service.visitor().post(path, body, headers)
    expect([first.status, first.setCookies]).toEqual([200, []])
    expect((await service.visitor().post(path, body, headers)).status).toBe(400)
  })

  it('is not for people, whatever they are', async () => {
    const people: Visitor[] = [acme.owner, await personWithRole(service, 'admin'), await acme.join('admin')]
    const statuses: number[] = []
    for (const person of people) {
      const { path, body } = await ask()
      statuses.push((await person.post(path, body)).status)
    }
    // Anybody may found an organization of their own.
    expect(new Set(statuses)).toEqual(new Set([refused === 404 ? 404 : 200]))
  })

  it('is told in the trail as done by a server', async () => {
    const { path, body } = await ask()
    const { headers } = await service.visitor().post(path, body, serverHeaders)
    const rows = await service.deps.sql`
      select is_server, actor_id from audit_events where request_id = ${headers.get('x-request-id')}
    `
    expect([...rows]).toEqual([{ isServer: true, actorId: null }])
  })
})

it('an organization is founded for somebody else by a server and by platform admins alone', async () => {
  const userId = await newcomer()
  const founderOf = async (visitor: Visitor, headers = {}) => {
    const body = { name: 'Other', slug: newSlug(), userId }
    return (await visitor.post('/organization/create', body, headers)).body.members[0].userId === userId
  }
  expect(await founderOf(service.visitor(), serverHeaders)).toBe(true)
  expect(await founderOf(await personWithRole(service, 'admin'))).toBe(true)
  for (const person of [await service.person(), await personWithRole(service, 'user')])
    expect(await founderOf(person)).toBe(false)
})

it('the key signs nobody in', async () => {
  for (const path of ['/list-sessions', '/token', '/organization/list'])
    expect((await service.visitor().get(path, serverHeaders)).status).toBe(401)
  expect((await service.visitor().get('/get-session', serverHeaders)).body).toBeNull()
})

describe('a change of the key', () => {
  const statusAt = async (at: TestService, key: string) => {
    const { path, body } = await calls['set-password']!.ask()
    return (await at.visitor().post(path, body, { authorization: `Bearer ${key}` })).status
  }

  it('has a time in which both are good', async () => {
    const during = await service.sibling({ SERVICE_KEY: `${next},${testServiceKey}` })
    const after = await service.sibling({ SERVICE_KEY: next })
    expect([await statusAt(during, next), await statusAt(during, testServiceKey)]).toEqual([200, 200])
    expect([await statusAt(after, next), await statusAt(after, testServiceKey)]).toEqual([200, 404])
    expect(await statusAt(during, `${next},${testServiceKey}`)).toBe(404)
  })

  it('to none at all takes the calls away', async () => {
    const keyless = await service.sibling({ SERVICE_KEY: undefined })
    for (const key of [testServiceKey, 'undefined', '']) expect(await statusAt(keyless, key)).toBe(404)
  })
})
