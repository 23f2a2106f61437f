import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Json } from '../../testing/visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService({ COOKIE_CACHE: 'on' })
})
afterAll(() => service.stop())

it('changes the label of the current session, and get-session shows it at once', async () => {
  const ann = await service.person()
  await ann.get('/get-session')
  const { status, body } = await ann.post('/update-session', { label: ' my \u0007 laptop ' })
  expect([status, body.session.label]).toEqual([200, 'my laptop'])
  expect((await ann.get('/get-session')).body.session).toEqual(body.session)
  await ann.post('/update-session', { label: null })
  expect((await ann.get('/get-session')).body.session.label).toBeNull()
})

it('leaves the other sessions of the user alone', async () => {
  const ann = await service.person()
  const { password } = { password: 'correct horse battery staple' }
  const phone = service.visitor()
  await phone.post('/sign-in/email', { email: ann.email, password }, { 'x-postern-label': 'phone' })
  await ann.post('/update-session', { label: 'laptop' })
  const labels = (await ann.get('/list-sessions')).body.map(({ label }: Json) => label)
  expect(labels.toSorted()).toEqual(['laptop', 'phone'])
})

it.each([
  {},
  { label: 1 },
  { label: 'x'.repeat(65) },
  { userId: 'x' },
  { label: 'x', expiresAt: '2099-01-01T00:00:00Z' },
])('refuses %j, and changes nothing', async (body) => {
  const ann = await service.person()
  expect((await ann.post('/update-session', body)).status).toBe(400)
  expect((await ann.get('/get-session')).body.session.label).toBeNull()
})
