import { describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { createKeys } from '../../crypto/keys.ts'
import { createCookies } from '../../http/cookies.ts'
import { inTurn } from '../../testing/rounds.ts'
import { ageSessions, dumpTables, trail } from '../../testing/rows.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const [older, newer, stolen] = ['Older', 'Newer', 'Stolen'].map((word) => `${word}-k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6p`) as [
  string,
  string,
  string,
]

const service = useTestService({ SECRET: older })

const name = 'postern.session_token'
const calls = Object.values(contract as Record<string, CallGroup>)
  .flatMap((group) => Object.values(group))
  .map(({ method, path }) => [method, path] as const)

describe('a cookie that we did not sign for this very purpose', () => {
  /** What somebody could make who knows a token, or our format, or another cookie of ours. */
  async function forgeries() {
    const [ann, bob] = await Promise.all([service.person(), service.person()])
    const [token = '', mac = ''] = (ann.cookies.get(name) ?? '').split('.')
    const [, otherMac = ''] = (bob.cookies.get(name) ?? '').split('.')
    const { cookie, cache, limit } = service.deps.keys
    const base64 = (bytes: Buffer) => encodeURIComponent(bytes.toString('base64'))
    return [
      token,
      `${token}.${otherMac}`,
      `${token}.${mac.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))}`,
      createCookies(service.deps.config, createKeys([stolen])).issue({ token, maxAge: null }).authToken,
      `${token}.${base64(cookie.sign(token))}`,
      `${token}.${base64(cookie.sign(`cookie:postern.dont_remember:${token}`))}`,
      `${token}.${base64(cookie.sign(`cookie:__Secure-${name}:${token}`))}`,
      `${token}.${base64(cache.sign(`cookie:${name}:${token}`))}`,
      `${token}.${base64(limit.sign(`cookie:${name}:${token}`))}`,
    ]
  }

  it.each(inTurn(calls))('has no effect on %s %s, as a cookie or as a bearer', async (method, path) => {
    const values = await forgeries()
    // The first look at the published keys makes one, whoever looks.
    await service.visitor().get('/jwks')
    const before = await dumpTables(service, trail)
    for (const value of values) {
      const credentials: Record<string, string>[] = [{ cookie: `${name}=${value}` }]
      // The raw token is a bearer credential of its own; signed it has to be signed by us.
      if (value.includes('.')) credentials.push({ authorization: `Bearer ${value}` })
      for (const headers of credentials) {
        const visitor = service.visitor()
        const input = { token: 'x', email: 'nobody@example.com', password: 'x', name: 'x' }
        const reply = method === 'GET' ? await visitor.get(path, headers) : await visitor.post(path, input, headers)
        expect(reply.text).not.toContain('example.com')
        expect(reply.headers.has('set-auth-token')).toBe(false)
      }
    }
    expect(await dumpTables(service, trail)).toBe(before)
  })

  it('does not make a session forgetful', async () => {
    const ann = await service.person()
    const [token = ''] = (ann.cookies.get(name) ?? '').split('.')
    for (const value of ['true', `true.${'A'.repeat(43)}%3D`, ann.cookies.get(name) ?? '', `true.${token}`]) {
      const { setCookies } = await ann.post(
        '/update-user',
        {},
        { cookie: `${name}=${ann.cookies.get(name)}; postern.dont_remember=${value}` },
      )
      expect(setCookies[0]).toContain('; Max-Age=')
    }
  })
})

describe('secrets', () => {
  const read = async (on: TestService, value: string) => {
    const visitor = on.visitor()
    visitor.cookies.set(name, value)
    return (await visitor.get('/get-session')).body?.user.email ?? null
  }

  it('rotate: the old one still verifies, the new one signs, and a dropped one is refused', async () => {
    const during = await service.sibling({ SECRETS: `${newer},${older}` })
    const after = await service.sibling({ SECRETS: newer })
    const { email, ...ann } = await service.person()
    const old = ann.cookies.get(name) ?? ''
    expect([await read(during, old), await read(after, old)]).toEqual([email, null])
    const moved = during.visitor()
    moved.cookies.set(name, old)
    await moved.post('/update-user', { name: 'Anna' })
    const fresh = moved.cookies.get(name) ?? ''
    expect(fresh.split('.')[0]).toBe(old.split('.')[0])
    expect([await read(during, fresh), await read(after, fresh), await read(service, fresh)]).toEqual([
      email,
      email,
      null,
    ])
  })

  it('rotate by themselves: a session in use gets its cookie from the new one when it is extended', async () => {
    const during = await service.sibling({ SECRETS: `${newer},${older}` })
    const after = await service.sibling({ SECRETS: newer })
    const { email, ...ann } = await service.person()
    await ageSessions(service, email, 2 * 86_400)
    const moved = during.visitor()
    moved.cookies.set(name, ann.cookies.get(name) ?? '')
    await moved.get('/get-session')
    expect(await read(after, moved.cookies.get(name) ?? '')).toBe(email)
  })

  it('of another service open nothing here', async () => {
    const foreign = await service.sibling({ SECRET: stolen })
    const { cookies } = await foreign.person()
    expect(await read(foreign, cookies.get(name) ?? '')).not.toBeNull()
    expect(await read(service, cookies.get(name) ?? '')).toBeNull()
  })

  it('let a cache cookie rotate too', async () => {
    const before = await service.sibling({ COOKIE_CACHE: 'on' })
    const during = await service.sibling({ COOKIE_CACHE: 'on', SECRETS: `${newer},${older}` })
    const after = await service.sibling({ COOKIE_CACHE: 'on', SECRETS: newer })
    const ann = await before.person()
    await ann.get('/get-session')
    const ask = async (on: TestService) => {
      const visitor = on.visitor()
      for (const [key, value] of ann.cookies) visitor.cookies.set(key, value)
      on.statements.forget()
      await visitor.get('/get-session')
      return on.statements.list.length
    }
    // Without its secret nothing is even asked: there is no session cookie left to ask with.
    expect([await ask(during), await ask(after)]).toEqual([0, 0])
    expect(await read(after, ann.cookies.get(name) ?? '')).toBeNull()
  })
})

it('nothing that was issued or typed stands in the database', async () => {
  const password = 'a password that nobody would guess'
  const email = 'canary@example.com'
  const visitor = service.visitor()
  const tokens: string[] = []
  tokens.push((await visitor.post('/sign-up/email', { email, name: 'C', password })).body.token)
  tokens.push((await visitor.post('/sign-in/email', { email, password, rememberMe: false })).body.token)
  const other = service.visitor()
  tokens.push((await other.post('/sign-in/email', { email, password })).body.token)
  await visitor.post('/sign-in/email', { email, password: `${testPassword} wrong` })
  await other.get('/get-session')
  const dump = await dumpTables(service)
  expect(dump).toContain(email)
  const spellings = [...tokens, password, `${testPassword} wrong`].flatMap((text) => [
    text,
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ])
  for (const text of spellings) expect(dump).not.toContain(text)
})
