import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Group } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { keysOf } from './rows.ts'
import { createTestService, type TestService, testPassword } from './service.ts'
import type { Reply } from './visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())

const account = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'Ann' })

/** One answer of each call, with everything in it that it can have. */
const answers: Record<string, () => Promise<Reply>> = {
  signUpEmail: () => service.visitor().post('/sign-up/email', { ...account(), image: 'https://example.com/a.png' }),
  signInEmail: async () => {
    const ann = await service.person()
    return ann.post('/sign-in/email', { email: ann.email, password: testPassword, callbackURL: '/home' })
  },
  signOut: async () => (await service.person()).post('/sign-out'),
  updateUser: async () => (await service.person()).post('/update-user', { name: 'Anna' }),
  getSession: async () => (await service.person()).get('/get-session'),
  listSessions: async () => (await service.person()).get('/list-sessions'),
  revokeSession: async () => {
    const ann = await service.person()
    const { token } = (await ann.get('/get-session')).body.session
    return ann.post('/revoke-session', { token })
  },
  revokeSessions: async () => (await service.person()).post('/revoke-sessions'),
  revokeOtherSessions: async () => (await service.person()).post('/revoke-other-sessions'),
  ok: () => service.visitor().get('/ok'),
  ready: () => service.visitor().get('/ready'),
}

const names = Object.values(contract as Record<string, Group>).flatMap((group) =>
  Object.entries(group).flatMap(([name, call]) => (call.answer === 'html' ? [] : [name])),
)

it.each(names)('%s answers these keys and no others', async (name) => {
  const { status, body } = await answers[name]!()
  expect([status, keysOf(body)]).toMatchSnapshot()
  expect(JSON.stringify(keysOf(body))).not.toMatch(/password|hash|secret|value/i)
})
