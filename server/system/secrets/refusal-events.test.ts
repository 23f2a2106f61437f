import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HookRefusal } from '../../settings/hook-refusal.ts'
import { userOf, withHooks } from '../../testing/mailed.ts'
import { found } from '../../testing/organizations.ts'
import { createSecurityLog } from '../../testing/security-log.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { cookieHeader } from '../../testing/visitor.ts'

const { watch, eventsOf, told, check, seen } = createSecurityLog()
let service: TestService
let limited: TestService
beforeAll(async () => {
  service = watch(await createTestService({ DATABASE_POOL: '2' }))
  limited = await service.sibling({ RATE_LIMIT: 'on' })
})
afterAll(() => service.stop())

const someone = () => `ann-${crypto.randomUUID()}@example.com`
const idOf = async (email: string) => (await userOf(service, email)).id

describe('a refusal', () => {
  it('of a permission is told with its name, whatever its status is', async () => {
    const acme = await found(service)
    const [member, other] = [await acme.join('member'), await acme.join('member')]
    for (const [call, more, status, reason] of [
      ['invite-member', { email: someone(), role: 'member' }, 403, 'INVITATION_CREATE_FORBIDDEN'],
      ['remove-member', { memberIdOrEmail: other.memberId }, 401, 'MEMBER_DELETE_FORBIDDEN'],
    ] as const) {
      const route = `/organization/${call}`
      const { reply, lines } = await told(() => member.post(route, more))
      expect([reply.status, lines.length, lines[0]]).toMatchObject([
        status,
        1,
        { event: 'permission-refused', userId: member.userId, reason, route },
      ])
      check(lines)
    }
  })

  it('of a foreign page, and by a function of the config file, too', async () => {
    const { lines } = await told(() => service.visitor().post('/sign-out', {}, { origin: 'https://evil.test' }))
    expect(lines).toMatchObject([
      { event: 'permission-refused', userId: null, reason: 'INVALID_ORIGIN', route: '/sign-out' },
    ])
    const ann = await service.person()
    const refusedBy = async (refusal: HookRefusal) => {
      const hooked = await withHooks(service, {
        beforeDeleteUser: () => {
          throw refusal
        },
      })
      // What the function says stands in no contract: asked for without looking at the answer.
      const headers = { 'content-type': 'application/json', cookie: cookieHeader(ann.cookies) }
      const { BASE_URL, BASE_PATH } = hooked.deps.config
      const url = `${BASE_URL.origin}${BASE_PATH}/delete-user`
      const refused = await hooked.app.request(url, { method: 'POST', headers, body: '{}' })
      return eventsOf(refused.headers.get('x-request-id'))
    }
    const more = await refusedBy(new HookRefusal('Ask Ann first'))
    expect(more).toMatchObject([
      { event: 'permission-refused', userId: await idOf(ann.email), reason: 'APPLICATION', route: '/delete-user' },
    ])
    expect(await refusedBy(new HookRefusal('Not now', { status: 409 }))).toEqual([])
    check([...lines, ...more])
  })

  it('that its use case tells is told once', async () => {
    const { email } = await service.person()
    await service.deps.sql`update users set banned = true where email = ${email}`
    const { reply, events } = await told(() =>
      service.visitor().post('/sign-in/email', { email, password: testPassword }),
    )
    expect([reply.status, events]).toEqual([403, ['sign-in-failed']])
  })

  it('of another kind tells nothing', async () => {
    const ann = await service.person()
    for (const ask of [
      () => service.visitor().get('/list-sessions'),
      () => service.visitor().get('/nowhere'),
      () => ann.post('/update-user', { name: 7 }),
      () => ann.post('/organization/create', { name: 'Acme', slug: '' }),
      () => ann.post('/revoke-session', { token: 'no-such-session' }),
    ])
      expect((await told(ask)).events).toEqual([])
  })

  it('by a counter is told with the call, and who asked where that is known', async () => {
    const { email } = await limited.person()
    const visitor = limited.visitor()
    const ask = () => visitor.post('/sign-in/email', { email, password: 'a wrong passphrase' })
    for (let time = 0; time < 3; time += 1) await ask()
    const { reply, lines } = await told(ask)
    expect([reply.status, lines.length, lines[0]]).toMatchObject([
      429,
      1,
      { event: 'request-throttled', userId: null, route: '/sign-in/email' },
    ])
    check(lines)
    const ann = await limited.person()
    for (let time = 0; time < 5; time += 1) await ann.post('/change-email', { newEmail: email })
    const throttled = await told(() => ann.post('/change-email', { newEmail: email }))
    expect(throttled.lines).toMatchObject([{ event: 'request-throttled', userId: await idOf(ann.email) }])
  })

  it('by the in-memory limits as well', async () => {
    const visitor = limited.visitor()
    let last = await told(() => visitor.get('/jwks'))
    for (let time = 0; last.reply.status === 200 && time < 10_000; time += 1)
      last = await told(() => visitor.get('/jwks'))
    expect([last.reply.status, last.events]).toEqual([429, ['request-throttled']])
  })
})

it('both kinds of refusal were told here', () => {
  expect(seen).toEqual(new Set(['permission-refused', 'request-throttled']))
})
