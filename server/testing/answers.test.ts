import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Group } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { lastMail } from './mails.ts'
import { organizationAnswers } from './organization-answers.ts'
import { keysOf } from './rows.ts'
import { createTestService, type TestService, testPassword, testServiceKey } from './service.ts'
import type { Reply } from './visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService()
})
afterAll(() => service.stop())

const account = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'Ann' })

const serviceKey = { authorization: `Bearer ${testServiceKey}` }

/** One answer of each call, with everything in it that it can have. */
const answers: Record<string, () => Promise<Reply>> = {
  signUpEmail: () => service.visitor().post('/sign-up/email', { ...account(), image: 'https://example.com/a.png' }),
  signInEmail: async () => {
    const ann = await service.person()
    return ann.post('/sign-in/email', { email: ann.email, password: testPassword, callbackURL: '/home' })
  },
  signOut: async () => (await service.person()).post('/sign-out'),
  updateUser: async () => (await service.person()).post('/update-user', { name: 'Anna' }),
  deleteUser: async () => (await service.person()).post('/delete-user'),
  deleteUserCallback: async () => {
    const mailing = await service.sibling({ DELETE_USER_MODE: 'email' })
    const ann = await mailing.person()
    await ann.post('/delete-user')
    return ann.get(`/delete-user/callback?token=${(await lastMail(mailing)).token}`)
  },
  sendVerificationEmail: async () => {
    const ann = await service.person()
    return ann.post('/send-verification-email', { email: ann.email })
  },
  verifyEmail: async () => {
    const ann = await service.person()
    await ann.post('/send-verification-email', { email: ann.email })
    return ann.get(`/verify-email?token=${(await lastMail(service)).token}`)
  },
  changeEmail: async () => (await service.person()).post('/change-email', { newEmail: account().email }),
  forgetPassword: () => service.visitor().post('/forget-password', { email: account().email }),
  requestPasswordReset: () => service.visitor().post('/request-password-reset', { email: account().email }),
  resetPassword: async () => {
    const { email } = await service.person()
    await service.visitor().post('/forget-password', { email })
    const { token } = await lastMail(service)
    return service.visitor().post('/reset-password', { newPassword: 'another horse battery staple', token })
  },
  changePassword: async () =>
    (await service.person()).post('/change-password', {
      currentPassword: testPassword,
      newPassword: 'another horse battery staple',
      revokeOtherSessions: true,
    }),
  setPassword: async () => {
    const ann = await service.person()
    await service.deps.sql`delete from accounts where user_id = (select id from users where email = ${ann.email})`
    return ann.post('/set-password', { newPassword: 'another horse battery staple' }, serviceKey)
  },
  getSession: async () => (await service.person()).get('/get-session'),
  listSessions: async () => (await service.person()).get('/list-sessions'),
  revokeSession: async () => {
    const ann = await service.person()
    const { token } = (await ann.get('/get-session')).body.session
    return ann.post('/revoke-session', { token })
  },
  revokeSessions: async () => (await service.person()).post('/revoke-sessions'),
  revokeOtherSessions: async () => (await service.person()).post('/revoke-other-sessions'),
  ...organizationAnswers(() => service),
  ok: () => service.visitor().get('/ok'),
  ready: () => service.visitor().get('/ready'),
}

const names = Object.values(contract as Record<string, Group>).flatMap((group) =>
  Object.entries(group).flatMap(([name, call]) =>
    call.answer === 'html' || call.output.type === 'never' ? [] : [name],
  ),
)

it.each(names)('%s answers these keys and no others', async (name) => {
  const { status, body } = await answers[name]!()
  expect([status, keysOf(body)]).toMatchSnapshot()
  expect(JSON.stringify(keysOf(body))).not.toMatch(/password|hash|secret|value/i)
})
