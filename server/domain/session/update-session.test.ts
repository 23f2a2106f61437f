import { expect, it } from 'vitest'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Json } from '../../testing/visitor.ts'

const service = useTestService({ COOKIE_CACHE: 'on' })

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
  const phone = service.visitor()
  await phone.post('/sign-in/email', { email: ann.email, password: testPassword }, { 'x-postern-label': 'phone' })
  await ann.post('/update-session', { label: 'laptop' })
  const labels = (await ann.get('/list-sessions')).body.map(({ label }: Json) => label)
  expect(labels.toSorted()).toEqual(['laptop', 'phone'])
})

it.each<[body: object, code: string]>([
  [{}, 'NO_DATA_TO_UPDATE'],
  [{ label: 1 }, 'VALIDATION_ERROR'],
  [{ label: 'x'.repeat(65) }, 'VALIDATION_ERROR'],
  [{ userId: 'x' }, 'VALIDATION_ERROR'],
  [{ label: 'x', expiresAt: '2099-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
])('refuses %j, and changes nothing', async (asked, code) => {
  const ann = await service.person()
  const { status, body } = await ann.post('/update-session', asked)
  expect([status, body.code]).toEqual([400, code])
  expect((await ann.get('/get-session')).body.session.label).toBeNull()
})
