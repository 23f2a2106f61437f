import { userOf } from './mailed.ts'
import { lastMail } from './mails.ts'
import { serverHeaders } from './organizations.ts'
import { serviceOn, type TestService, testPassword } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

const another = 'another horse battery staple'
const account = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'Ann' })

/** One answer of each call about users, sessions and passwords, with everything in it that it can have. */
export function accountAnswers(service: () => TestService): Record<string, () => Promise<Reply>> {
  const visitor = () => service().visitor()
  const person = () => service().person()
  const forgotten = async (path: string) => visitor().post(path, { email: (await person()).email })
  return {
    signUpEmail: () => visitor().post('/sign-up/email', { ...account(), image: 'https://example.com/a.png' }),
    signInEmail: async () => {
      const ann = await person()
      return ann.post('/sign-in/email', { email: ann.email, password: testPassword, callbackURL: '/home' })
    },
    signOut: async () => (await person()).post('/sign-out'),
    listFields: async () => {
      // The service itself has none to tell.
      await visitor().get('/field/list')
      const userFields = { plan: { kind: ['free', 'pro'], default: 'free' } } as const
      const extended = await serviceOn(service().database, {}, { extensions: { userFields } })
      const reply = await extended.visitor().get('/field/list')
      await extended.stop()
      return reply
    },
    updateUser: async () => (await person()).post('/update-user', { name: 'Anna' }),
    deleteUser: async () => (await person()).post('/delete-user'),
    deleteUserCallback: async () => {
      const mailing = await service().sibling({ DELETE_USER_MODE: 'email' })
      const ann = await mailing.person()
      await ann.post('/delete-user')
      return ann.get(`/delete-user/callback?token=${(await lastMail(mailing)).token}`)
    },
    sendVerificationEmail: async () => {
      const ann = await person()
      return ann.post('/send-verification-email', { email: ann.email })
    },
    verifyEmail: async () => {
      const ann = await person()
      await ann.post('/send-verification-email', { email: ann.email })
      return ann.get(`/verify-email?token=${(await lastMail(service())).token}`)
    },
    changeEmail: async () => (await person()).post('/change-email', { newEmail: account().email }),
    forgetPassword: () => forgotten('/forget-password'),
    requestPasswordReset: () => forgotten('/request-password-reset'),
    resetPassword: async () => {
      const { email } = await person()
      await visitor().post('/forget-password', { email })
      const { token } = await lastMail(service())
      return visitor().post('/reset-password', { newPassword: another, token })
    },
    changePassword: async () =>
      (await person()).post('/change-password', {
        currentPassword: testPassword,
        newPassword: another,
        revokeOtherSessions: true,
      }),
    setPassword: async () => {
      const { id: userId } = await userOf(service(), (await person()).email)
      await service().deps.sql`delete from accounts where user_id = ${userId}`
      return visitor().post('/set-password', { newPassword: another, userId }, serverHeaders)
    },
    getSession: async () => (await person()).get('/get-session'),
    updateSession: async () => (await person()).post('/update-session', { label: 'laptop' }),
    listSessions: async () => (await person()).get('/list-sessions'),
    revokeSession: async () => {
      const ann = await person()
      const { token } = (await ann.get('/get-session')).body.session
      return ann.post('/revoke-session', { token })
    },
    revokeSessions: async () => (await person()).post('/revoke-sessions'),
    listDeviceSessions: async () => (await person()).get('/multi-session/list-device-sessions'),
    setActiveSession: () => onDevice(person, 'set-active'),
    revokeDeviceSession: () => onDevice(person, 'revoke'),
    revokeOtherSessions: async () => (await person()).post('/revoke-other-sessions'),
  }
}

/** A call about the session that this browser has. */
async function onDevice(person: () => Promise<Visitor>, act: 'set-active' | 'revoke'): Promise<Reply> {
  const visitor = await person()
  const { token } = (await visitor.get('/get-session')).body.session
  return visitor.post(`/multi-session/${act}`, { sessionToken: token })
}
