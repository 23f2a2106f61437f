import { describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { edgeFailures, type FailureName } from '../../../shared/errors.ts'
import { wireOf } from '../../../shared/failure.ts'
import { createApp } from '../../app.ts'
import { adminWays, lastAdmin, onlyNamedAdmin } from '../../testing/admin-ways.ts'
import { actingAs } from '../../testing/admins.ts'
import { auditWays } from '../../testing/audit.ts'
import { type KnownCall, knownCalls } from '../../testing/calls.ts'
import { deviceWays } from '../../testing/device-ways.ts'
import { keyWays, namedInKeys } from '../../testing/key-ways.ts'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { linkTo } from '../../testing/mailed.ts'
import { lastMail } from '../../testing/mails.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { organizationWays } from '../../testing/organization-ways.ts'
import { found } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { namedInRoles } from '../../testing/role-ways.ts'
import { inTurn } from '../../testing/rounds.ts'
import { ageSessions } from '../../testing/rows.ts'
import { testPassword, testServiceKey } from '../../testing/service.ts'
import { namedIn, socialWays } from '../../testing/social-ways.ts'
import { supportWays } from '../../testing/support-calls.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import { cookieHeader, createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'
import { webhookWays } from '../../testing/webhook-calls.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GITHUB'), ...provider.settings('GOOGLE') }))

const ann = () => ({ email: `ann-${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword })
const withSettings = async (settings: Record<string, string>) => (await service.sibling(settings)).visitor()

const person = async (settings: Record<string, string>) => (await service.sibling(settings)).person()
const another = 'another horse battery staple'
const common = 'password123'
const serviceKey = { authorization: `Bearer ${testServiceKey}` }

async function withoutPassword() {
  const visitor = await service.person()
  const { sql } = service.deps
  await sql`delete from accounts where user_id = (select id from users where email = ${visitor.email})`
  return visitor
}

/** A person who has asked for a mail, and the token in it. */
async function mailed(path: string, body: (visitor: { email: string }) => object) {
  const visitor = await service.person()
  await visitor.post(path, body(visitor))
  return { visitor, ...(await lastMail(service)) }
}

/** A person with a verified address who wants another one. */
async function changing() {
  const visitor = await service.person()
  const newEmail = ann().email
  await proveAddress(service.deps.sql, visitor.email)
  await visitor.post('/change-email', { newEmail })
  return { visitor, newEmail, ...(await lastMail(service)) }
}

/** The only owner of an organization that somebody else is in. */
async function onlyOwner() {
  const acme = await found(service)
  await acme.join('admin')
  return acme.owner
}

/** Asks for the mail that confirms the deletion, and opens its link. */
async function deleteByLink(person: Visitor): Promise<Reply> {
  const mailing = await service.sibling({ DELETE_USER_MODE: 'email' })
  const headers = { cookie: cookieHeader(person.cookies) }
  await createVisitor(mailing.app, mailing.deps.config).post('/delete-user', {}, headers)
  return person.get(`/delete-user/callback?token=${(await lastMail(service)).token}`)
}

const forgotten = (path: string) => ({
  RESET_PASSWORD_OFF: async () => (await withSettings({ RESET_PASSWORD: 'off' })).post(path, ann()),
  INVALID_EMAIL: () => service.visitor().post(path, { email: 'ann' }),
})

const refusedPasswords = (set: (password: string) => Promise<Reply>) => ({
  PASSWORD_TOO_SHORT: () => set('1234567'),
  PASSWORD_TOO_LONG: () => set('x'.repeat(129)),
  PASSWORD_TOO_COMMON: () => set(common),
})

/** How each listed failure of each call is reached. */
const ways: Record<string, Partial<Record<FailureName, () => Promise<Reply>>>> = {
  signUpEmail: {
    SIGN_UP_OFF: async () => (await withSettings({ SIGN_UP: 'off' })).post('/sign-up/email', ann()),
    INVALID_EMAIL: () => service.visitor().post('/sign-up/email', { ...ann(), email: 'ann@localhost' }),
    PASSWORD_TOO_SHORT: () => service.visitor().post('/sign-up/email', { ...ann(), password: '1234567' }),
    PASSWORD_TOO_LONG: () => service.visitor().post('/sign-up/email', { ...ann(), password: 'x'.repeat(129) }),
    PASSWORD_TOO_COMMON: () => service.visitor().post('/sign-up/email', { ...ann(), password: common }),
    USER_EXISTS: async () => {
      const { email } = await service.person()
      return service.visitor().post('/sign-up/email', { ...ann(), email: email.toUpperCase() })
    },
  },
  signInEmail: {
    EMAIL_PASSWORD_OFF: async () => (await withSettings({ EMAIL_PASSWORD: 'off' })).post('/sign-in/email', ann()),
    INVALID_EMAIL: () => service.visitor().post('/sign-in/email', { ...ann(), email: 'ann' }),
    WRONG_EMAIL_OR_PASSWORD: () => service.visitor().post('/sign-in/email', ann()),
    EMAIL_NOT_VERIFIED: async () => {
      const { email } = await service.person()
      const strict = await withSettings({ REQUIRE_EMAIL_VERIFICATION: 'on' })
      return strict.post('/sign-in/email', { email, password: testPassword })
    },
    BANNED_USER: async () => {
      const { email } = await service.person()
      await ban(email)
      return service.visitor().post('/sign-in/email', { email, password: testPassword })
    },
    SESSION_NOT_CREATED_AT_SIGN_IN: async () => {
      const { email } = await service.person()
      // Banned between the two statements of the sign-in: while its password is being checked.
      const { passwords, config } = service.deps
      const verify: typeof passwords.verify = async (stored, password) => {
        await ban(email)
        return passwords.verify(stored, password)
      }
      const app = createApp({ ...service.deps, passwords: { ...passwords, verify } })
      return createVisitor(app, config).post('/sign-in/email', { email, password: testPassword })
    },
  },
  signOut: { NO_SESSION_TO_END: () => service.visitor().post('/sign-out') },
  updateUser: {
    EMAIL_NOT_EDITABLE: async () => (await service.person()).post('/update-user', { email: 'new@example.com' }),
  },
  updateSession: { NO_DATA_TO_UPDATE: async () => (await service.person()).post('/update-session') },
  setActiveSession: {
    INVALID_SESSION_TOKEN: () => service.visitor().post('/multi-session/set-active', { sessionToken: 'x' }),
  },
  revokeDeviceSession: {
    INVALID_SESSION_TOKEN: async () => (await service.person()).post('/multi-session/revoke', { sessionToken: 'x' }),
  },
  deleteUser: {
    DELETE_USER_OFF: async () => (await person({ DELETE_USER: 'off' })).post('/delete-user'),
    CREDENTIAL_ACCOUNT_NOT_FOUND: async () => {
      const visitor = await withoutPassword()
      return visitor.post('/delete-user', { password: testPassword })
    },
    WRONG_PASSWORD: async () => (await service.person()).post('/delete-user', { password: another }),
    SESSION_TOO_OLD: async () => {
      const visitor = await service.person()
      await ageSessions(service, visitor.email, 2 * 86_400)
      return visitor.post('/delete-user')
    },
    DELETE_TOKEN_INVALID: async () => (await service.person()).post('/delete-user', { token: 'no-such-token' }),
    ONLY_OWNER: async () => (await onlyOwner()).post('/delete-user'),
    LAST_ADMIN: async () => (await lastAdmin(service)).post('/delete-user'),
  },
  deleteUserCallback: {
    DELETE_USER_OFF: async () => (await person({ DELETE_USER: 'off' })).get('/delete-user/callback?token=x'),
    USER_INFO_NOT_FOUND: () => service.visitor().get('/delete-user/callback?token=x'),
    DELETE_TOKEN_INVALID: async () => (await service.person()).get('/delete-user/callback?token=x'),
    ONLY_OWNER: async () => deleteByLink(await onlyOwner()),
    LAST_ADMIN: async () => deleteByLink(await lastAdmin(service)),
  },
  sendVerificationEmail: {
    VERIFICATION_EMAIL_OFF: async () =>
      (await withSettings({ VERIFICATION_EMAIL: 'off' })).post('/send-verification-email', ann()),
    INVALID_EMAIL: () => service.visitor().post('/send-verification-email', { email: 'ann' }),
    USER_NOT_FOUND: async () => (await service.person()).post('/send-verification-email', ann()),
  },
  verifyEmail: {
    LINK_TOKEN_INVALID: () => service.visitor().get('/verify-email?token=x'),
    LINK_TOKEN_EXPIRED: async () => {
      const { visitor, token } = await mailed('/send-verification-email', ({ email }) => ({ email }))
      const later = new Date(Date.now() + 3_600_000)
      return createVisitor(createApp({ ...service.deps, now: () => later }), service.deps.config, visitor.email).get(
        `/verify-email?token=${token}`,
      )
    },
    LINK_USER_NOT_FOUND: async () => {
      const { visitor, token } = await mailed('/send-verification-email', ({ email }) => ({ email }))
      await visitor.post('/delete-user')
      return service.visitor().get(`/verify-email?token=${token}`)
    },
    LINK_UNAUTHORIZED: async () => service.visitor().get(`/verify-email?token=${(await changing()).token}`),
    EMAIL_NOT_AVAILABLE: async () => {
      const { visitor, token, newEmail } = await changing()
      await service.person({ email: newEmail })
      return visitor.get(`/verify-email?token=${token}`)
    },
    LAST_ADMIN: async () => {
      const { only, named, email } = await onlyNamedAdmin(service)
      await only.post('/change-email', { newEmail: ann().email })
      return only.get(`/verify-email?token=${(await linkTo(named, email, 'change-email')).token}`)
    },
  },
  changeEmail: {
    CHANGE_EMAIL_OFF: async () => (await person({ CHANGE_EMAIL: 'off' })).post('/change-email', { newEmail: 'a@b.co' }),
    VERIFICATION_EMAIL_OFF: async () => {
      const visitor = await person({ VERIFICATION_EMAIL: 'off' })
      await proveAddress(service.deps.sql, visitor.email)
      return visitor.post('/change-email', { newEmail: ann().email })
    },
    INVALID_EMAIL: async () => (await service.person()).post('/change-email', { newEmail: 'ann' }),
    EMAIL_UNCHANGED: async () => {
      const visitor = await service.person()
      return visitor.post('/change-email', { newEmail: visitor.email.toUpperCase() })
    },
    EMAIL_NOT_AVAILABLE: async () => {
      const { email } = await service.person()
      return (await service.person()).post('/change-email', { newEmail: email })
    },
    SESSION_NOT_FRESH: async () => {
      const visitor = await service.person()
      await ageSessions(service, visitor.email, 2 * 86_400)
      return visitor.post('/change-email', { newEmail: ann().email })
    },
  },
  forgetPassword: forgotten('/forget-password'),
  requestPasswordReset: forgotten('/request-password-reset'),
  resetPassword: {
    RESET_PASSWORD_OFF: async () =>
      (await withSettings({ EMAIL_PASSWORD: 'off' })).post('/reset-password', { newPassword: another, token: 'x' }),
    RESET_TOKEN_INVALID: () => service.visitor().post('/reset-password', { newPassword: another, token: 'x' }),
    ...refusedPasswords(async (newPassword) => {
      const { token } = await mailed('/forget-password', ({ email }) => ({ email }))
      return service.visitor().post('/reset-password', { newPassword, token })
    }),
  },
  changePassword: {
    ...refusedPasswords(async (newPassword) =>
      (await service.person()).post('/change-password', { newPassword, currentPassword: testPassword }),
    ),
    CREDENTIAL_ACCOUNT_NOT_FOUND: async () =>
      (await withoutPassword()).post('/change-password', { newPassword: another, currentPassword: testPassword }),
    WRONG_PASSWORD: async () =>
      (await service.person()).post('/change-password', { newPassword: another, currentPassword: another }),
  },
  setPassword: {
    ...refusedPasswords((newPassword) => service.visitor().post('/set-password', { newPassword }, serviceKey)),
    USER_NOT_FOUND: () => service.visitor().post('/set-password', { newPassword: another, userId: 'x' }, serviceKey),
    PASSWORD_ALREADY_SET: async () =>
      (await service.person()).post('/set-password', { newPassword: another }, serviceKey),
  },
  getSession: {
    SESSION_NOT_READ: async () => {
      const person = await service.person()
      return withoutTable('sessions', () => person.get('/get-session'))
    },
  },
  revokeSession: {
    SESSION_NOT_FOUND: async () => (await service.person()).post('/revoke-session', { token: 'no-such-session' }),
  },
  ...adminWays(() => service),
  ...auditWays(() => service),
  ...deviceWays(
    () => service,
    () => provider,
  ),
  ...supportWays(() => service),
  ...webhookWays(() => service),
  ...keyWays(
    () => service,
    () => provider,
  ),
  ...organizationWays(() => service),
  rotateKeys: { KEY_ROTATION_FORBIDDEN: async () => (await service.person()).post('/admin/rotate-keys') },
  ...socialWays(
    () => service,
    () => provider,
  ),
}

const atTheEdge: Record<string, () => Promise<Reply>> = {
  UNAUTHORIZED: () => service.visitor().get('/list-sessions'),
  INVALID_BODY: () => service.visitor().post('/sign-in/email', { email: 1 }),
  INVALID_QUERY: () => service.visitor().get('/error?error=%00'),
  NOT_WHILE_IMPERSONATING: async () => (await actingAs(service)).admin.post('/delete-user'),
  INVALID_ORIGIN: () => service.visitor().post('/sign-out', {}, { origin: 'https://evil.example' }),
  INVALID_REDIRECT_TARGET: () =>
    service.visitor().post('/sign-in/email', { ...ann(), callbackURL: 'https://evil.example' }),
  SPONSOR_GONE: async () => {
    const acme = await found(service)
    const { token } = await organizationKey(acme)
    await ban(acme.owner.email)
    return machine(service, token).get('/organization/list')
  },
  SPONSOR_MAY_NOT: async () => {
    const acme = await found(service)
    const { token } = await organizationKey(acme)
    await service.deps.sql`update members set roles = '{member}' where id = ${acme.owner.memberId}`
    return machine(service, token).post('/organization/create-team', { name: 'Red' })
  },
  KEY_FORBIDDEN: async () => {
    const { token } = await organizationKey(await found(service))
    return machine(service, token).get('/list-sessions')
  },
  KEY_SCOPE_MISSING: async () => {
    const { token } = await ownKey(await service.person(), { scopes: ['team:create'] })
    return machine(service, token).get('/organization/list')
  },
  NOT_FOUND: () => service.visitor().get('/no-such-call'),
  PAYLOAD_TOO_LARGE: () => service.visitor().post('/sign-in/email', { ...ann(), password: 'x'.repeat(65_536) }),
  UNSUPPORTED_MEDIA_TYPE: () => service.visitor().post('/sign-in/email', ann(), { 'content-type': 'text/plain' }),
  TOO_MANY_REQUESTS: async () => {
    const visitor = await withSettings({ RATE_LIMIT: 'on' })
    for (let attempt = 0; attempt < 3; attempt += 1) await visitor.post('/sign-in/email', ann())
    return visitor.post('/sign-in/email', ann())
  },
  INTERNAL_SERVER_ERROR: () => withoutTable('accounts', () => service.visitor().post('/sign-in/email', ann())),
  SERVICE_UNAVAILABLE: async () => {
    const leaving = await service.sibling()
    leaving.state.phase = 'draining'
    return leaving.visitor().get('/ready')
  },
}

const calls = Object.values(contract as Record<string, CallGroup>).flatMap((group) => Object.entries(group))

const listed = calls.flatMap(([name, { failures }]) => failures.map((failure) => [name, failure] as const))
const guarded = knownCalls.filter(({ call }) => call.access === 'session')

it.each(calls)('%s lists exactly the failures that have a way here', (name, { failures }) => {
  expect(Object.keys(ways[name] ?? {}).toSorted()).toEqual(failures.toSorted())
})

// That no other is answered is held by every visitor of the suite (check-answer.ts).
it.each(inTurn(listed))('%s can answer %s', async (name, failure) => {
  expect(await ways[name]![failure]!()).toMatchObject(wire(failure))
})

it.each(inTurn(guarded, 1))(
  '$name answers 401 without a body to who has no session, and sets nothing',
  async (known) => {
    const reply = await request(known)
    expect(reply).toMatchObject({ status: 401, text: '', setCookies: [] })
    expect(reply.headers.get('content-type')).toBe('application/json')
  },
)

describe('the edge', () => {
  it('has a way here for each of its failures', () => {
    expect(Object.keys(atTheEdge).toSorted()).toEqual([...edgeFailures].toSorted())
  })

  it.each(Object.keys(atTheEdge) as FailureName[])('can answer %s', async (failure) => {
    expect(await atTheEdge[failure]!()).toMatchObject(wire(failure))
  })
})

/** The session is asked for after the input was read. */
const request = ({ call, path, target, input }: KnownCall): Promise<Reply> =>
  call.method === 'GET' ? service.visitor().get(target) : service.visitor().post(path, input)

function wire(failure: FailureName) {
  const { status, body } = wireOf(failure, { ...namedIn, ...namedInRoles, ...namedInKeys }[failure])
  return body === null ? { status, text: '' } : { status, body }
}

const ban = (email: string) => service.deps.sql`update users set banned = true where email = ${email}`

/** A fault that no outage explains: a table that is not there. */
async function withoutTable<T>(table: string, act: () => Promise<T>): Promise<T> {
  const { sql } = service.deps
  await sql`alter table ${sql(table)} rename to away`
  try {
    return await act()
  } finally {
    await sql`alter table away rename to ${sql(table)}`
  }
}
