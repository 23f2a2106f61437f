import { expect, it } from 'vitest'
import { countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const cleared = ['session_token', 'session_data', 'dont_remember'].map(
  (name) => `postern.${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
)

it('ends this session alone and clears all cookies, in one statement', async () => {
  const ann = await service.person()
  const elsewhere = service.visitor()
  await elsewhere.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe: false })
  const before = new Map(ann.cookies)
  service.statements.forget()
  const { status, body, setCookies } = await ann.post('/sign-out')
  expect([status, body, setCookies]).toEqual([200, { success: true }, cleared])
  expect(service.statements.list).toHaveLength(1)
  for (const [name, value] of before) ann.cookies.set(name, value)
  expect((await ann.get('/get-session')).body).toBeNull()
  expect((await elsewhere.get('/get-session')).body.user.email).toBe(ann.email)
})

it('needs no body at all', async () => {
  const ann = await service.person()
  expect((await ann.send('/sign-out', { method: 'POST' })).body).toEqual({ success: true })
})

it('is no failure when the session is gone already', async () => {
  const ann = await service.person()
  await service.deps.sql`delete from sessions`
  expect(await ann.post('/sign-out')).toMatchObject({ status: 200, body: { success: true }, setCookies: cleared })
})

it('without a session is 400, and clears the cookies all the same', async () => {
  const reply = await service.visitor().post('/sign-out')
  expect(reply).toMatchObject({ status: 400, body: { code: 'FAILED_TO_GET_SESSION' }, setCookies: cleared })
})

it('without a session is success for clients of 1.7, in a form of a browser too', async () => {
  const newer = await service.sibling({ CLIENT_API: '1.7' })
  const opening = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' }
  for (const headers of [{}, opening]) {
    const reply = await newer.visitor().post('/sign-out', {}, headers)
    expect(reply).toMatchObject({ status: 200, body: { success: true }, setCookies: cleared })
  }
})

it('ends nothing by a cookie or a token that is not signed by us', async () => {
  const ann = await service.person()
  const { token } = (await ann.get('/get-session')).body.session
  const [, mac] = (ann.cookies.get('postern.session_token') ?? '').split('.')
  for (const value of [token, `${token}.${'A'.repeat(43)}%3D`, `x${token}.${mac}`, `.${mac}`, `${token}.`]) {
    const forger = service.visitor()
    forger.cookies.set('postern.session_token', value)
    expect((await forger.post('/sign-out')).status).toBe(400)
  }
  expect(await countSessions(service, ann.email)).toBe(1)
})

it('that fails in the database leaves the cookies', async () => {
  const ann = await service.person()
  await service.deps.sql`alter table sessions rename to away`
  const { status, setCookies } = await ann.post('/sign-out')
  await service.deps.sql`alter table away rename to sessions`
  expect([status, setCookies]).toEqual([500, []])
  expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
})
