import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deviceGrantType } from '../../../shared/device.ts'
import { createApp } from '../../app.ts'
import type { ProofKind } from '../../request/admission.ts'
import { adminOf } from '../../testing/admins.ts'
import { approve, clientId, startWaiting } from '../../testing/device.ts'
import { exchange, jobToken, trustIn } from '../../testing/key-answers.ts'
import { linkTo, userOf } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { found } from '../../testing/organizations.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { personAt, signInAt } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'
import { createVisitor, type Reply } from '../../testing/visitor.ts'

let open: TestService
let strict: TestService
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  const settings = {
    ...provider.settings('GOOGLE'),
    AUTO_SIGN_IN_AFTER_VERIFICATION: 'on',
    TRUSTED_PROVIDERS: 'github',
  }
  open = await createTestService(settings)
  strict = await open.sibling({ ...settings, REQUIRE_EMAIL_VERIFICATION: 'on' })
})
afterAll(() => open.stop())

/** Somebody who has proved all but the last step; `meanwhile` happens before the session would begin. */
interface Ready {
  readonly userId: string
  readonly begin: (on: TestService, meanwhile: () => Promise<unknown>) => Promise<Reply>
}

const after = async (meanwhile: () => Promise<unknown>, call: () => Promise<Reply>): Promise<Reply> => {
  await meanwhile()
  return call()
}
const addressOfAnn = () => `ann-${crypto.randomUUID()}@example.com`
const idOf = async (email: string) => (await userOf(open, email)).id

/** Every way to a session of a user who is there already: another kind of proof does not compile until it has one. */
const ways: Record<Exclude<ProofKind, 'sign-up'>, () => Promise<Ready>> = {
  password: async () => {
    const { email } = await open.person()
    const body = { email, password: testPassword }
    const begin: Ready['begin'] = (on, meanwhile) => after(meanwhile, () => on.visitor().post('/sign-in/email', body))
    return { userId: await idOf(email), begin }
  },
  identity: async () => {
    const email = addressOfAnn()
    const person = personAt({ email })
    await signInAt(provider, open.visitor(), person)
    const begin: Ready['begin'] = (on, meanwhile) => after(meanwhile, () => signInAt(provider, on.visitor(), person))
    return { userId: await idOf(email), begin }
  },
  'approved-device': async () => {
    const [person, waiting] = [await open.person(), await startWaiting(open)]
    await approve(person, waiting)
    const body = { grant_type: deviceGrantType, client_id: clientId, device_code: waiting.deviceCode }
    const begin: Ready['begin'] = (on, meanwhile) => after(meanwhile, () => on.visitor().post('/device/token', body))
    return { userId: await idOf(person.email), begin }
  },
  'mailed-link': async () => {
    const { email } = await open.person()
    await open.visitor().post('/send-verification-email', { email })
    const { token } = await linkTo(open, email, 'verify-email')
    const begin: Ready['begin'] = (on, meanwhile) =>
      after(meanwhile, () => on.visitor().get(`/verify-email?token=${token}`))
    return { userId: await idOf(email), begin }
  },
  'renewed-session': async () => {
    const person = await open.person()
    const body = { currentPassword: testPassword, newPassword: `another ${testPassword}`, revokeOtherSessions: true }
    const begin: Ready['begin'] = ({ deps }, meanwhile) => {
      const { passwords } = deps
      const hash: typeof passwords.hash = async (...args) => {
        await meanwhile()
        return passwords.hash(...args)
      }
      const visitor = createVisitor(createApp({ ...deps, passwords: { ...passwords, hash } }), deps.config)
      for (const [name, value] of person.cookies) visitor.cookies.set(name, value)
      return visitor.post('/change-password', body)
    }
    return { userId: await idOf(person.email), begin }
  },
  impersonation: async () => {
    const [admin, { email }] = [await adminOf(open), await open.person()]
    const userId = await idOf(email)
    const begin: Ready['begin'] = (_on, meanwhile) =>
      after(meanwhile, () => admin.post('/admin/impersonate-user', { userId }))
    return { userId, begin }
  },
  workload: async () => {
    const acme = await found(open)
    const { userId } = await trustIn(acme, provider)
    const token = await jobToken(open, provider, {})
    const begin: Ready['begin'] = (on, meanwhile) =>
      after(meanwhile, () => exchange(on.visitor(), token, { organization: acme.slug }))
    return { userId, begin }
  },
}
const kinds = Object.keys(ways) as (keyof typeof ways)[]

const sessionsOf = async (userId: string) =>
  (await open.deps.sql<{ id: string }[]>`select id from sessions where user_id = ${userId} order by id`).map(
    ({ id }) => id,
  )

/** The sessions that began, and whether the answer carries one. */
async function beginning({ userId, begin }: Ready, on: TestService, meanwhile: (userId: string) => Promise<unknown>) {
  const before = new Set(await sessionsOf(userId))
  const { body, setCookies } = await begin(on, () => meanwhile(userId))
  const began = (await sessionsOf(userId)).filter((id) => !before.has(id)).length
  const isCookieSet = setCookies.some((line) => /session_token=[^;]/.test(line))
  return { began, isAnswered: isCookieSet || Boolean(body?.token ?? body?.access_token ?? body?.session?.token) }
}

const nothing = () => Promise.resolve()
const ban = (userId: string) =>
  open.deps.sql`update users set banned = true, ban_expires = null where id = ${userId}`.execute()
const endBan = (userId: string) =>
  open.deps.sql`update users set banned = true, ban_expires = now() where id = ${userId}`.execute()
const setVerified = (is: boolean) => (userId: string) =>
  open.deps.sql`update users set email_verified = ${is} where id = ${userId}`.execute()

describe.each(kinds)('a session by %s', (kind) => {
  it('begins for whoever may enter, after a ban that is over, too', async () => {
    expect(await beginning(await ways[kind](), open, nothing)).toEqual({ began: 1, isAnswered: true })
    expect(await beginning(await ways[kind](), open, endBan)).toEqual({ began: 1, isAnswered: true })
  })

  it('does not begin for a banned user', async () => {
    expect(await beginning(await ways[kind](), open, ban)).toEqual({ began: 0, isAnswered: false })
  })
})

// The others verify the address, go on with a session that began so, or are begun by an administrator or a machine.
describe.each(['password', 'identity', 'approved-device'] as const)(
  'where addresses have to be verified, a session by %s',
  (kind) => {
    it('begins for a verified address alone', async () => {
      expect(await beginning(await ways[kind](), strict, setVerified(true))).toEqual({ began: 1, isAnswered: true })
      expect(await beginning(await ways[kind](), strict, setVerified(false))).toEqual({ began: 0, isAnswered: false })
    })
  },
)

it('where addresses have to be verified, a sign-up begins no session', async () => {
  const account = () => ({ email: addressOfAnn(), name: 'Ann', password: testPassword })
  const begun = async (on: TestService, body: ReturnType<typeof account>) => {
    const { status, body: answer } = await on.visitor().post('/sign-up/email', body)
    return [status, answer.token !== null, (await sessionsOf(await idOf(body.email))).length]
  }
  expect(await begun(open, account())).toEqual([200, true, 1])
  expect(await begun(strict, account())).toEqual([200, false, 0])
  const email = addressOfAnn()
  const person = personAt({ email })
  expect((await signInAt(provider, strict.visitor(), person)).setCookies.join()).not.toMatch(/session_token=[^;]/)
  expect(await sessionsOf(await idOf(email))).toEqual([])
})
