import type { BetterAuthClientPlugin } from 'better-auth/client'
import { createAuthClient } from 'better-auth/client'
import { adminClient, jwtClient, multiSessionClient, organizationClient } from 'better-auth/client/plugins'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config.ts'
import { connect } from '../../db/connect.ts'
import type { Deps } from '../../deps.ts'
import { createParts, type Service, startService } from '../../process/start.ts'
import { cloneDatabase, patience, settingsOf } from '../../testing/database.ts'
import { linkTo } from '../../testing/mailed.ts'
import { type OpenIdProvider, type Person, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { patient } from '../../testing/process.ts'
import { createFetch, someone } from '../../testing/reference-client.ts'
import { testPassword } from '../../testing/service.ts'
import { testSecret } from '../../testing/settings.ts'
import { callbackOf, idTokenOf, personAt } from '../../testing/social.ts'
import { cookieHeader, keepCookie } from '../../testing/visitor.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let service: Service
let provider: OpenIdProvider
/** Whoever reads the outbox beside the service. */
let mails: { deps: Deps }
beforeAll(async () => {
  cloned = await cloneDatabase()
  // With limits, for the cookie that they need; high ones, since all of it comes from one address.
  const high = { max: 10_000 }
  const RATE_LIMITS = { calls: high, passwordCalls: high, mailCalls: high, networkFailures: high, emailChanges: high }
  const settings = { PORT: '0', SECRET: testSecret, MIGRATE: 'off', MULTI_SESSION: '5' }
  const callback = 'http://127.0.0.1:4199/api/auth/callback/google'
  provider = await startOpenIdProvider({ redirectUris: [callback] })
  // The provider leads to its public address; the client follows to where it listens.
  const social = { ...provider.settings('GOOGLE'), BASE_URL: new URL(callback).origin }
  const config = parseConfig({ ...settings, ...social, ...settingsOf(cloned.database) }, { RATE_LIMITS })
  const log = pino({ level: 'silent' })
  service = await startService(config, log, patient)
  const sql = connect(cloned.database, { connections: 1, prepare: true, deadlines: patience })
  mails = { deps: { ...createParts(config, log), sql } }
})
afterAll(async () => {
  await mails.deps.sql.end()
  await service.stop({ notice: 0 })
  await provider.stop()
  await cloned.drop()
})

/** Its own types do not pass our compiler's `exactOptionalPropertyTypes`. */
const organization = organizationClient() as unknown as BetterAuthClientPlugin

/** The client as its users have it, unmodified, with a jar such as a browser would be. */
function createClient() {
  const { jar, customFetchImpl } = createFetch()
  const client = createAuthClient({
    baseURL: service.url,
    plugins: [organization, adminClient(), jwtClient(), multiSessionClient()],
    fetchOptions: { customFetchImpl },
  })
  return { client, jar }
}

/** The cookies of the active session, without those that keep the accounts of the browser. */
const ownIn = (jar: ReadonlyMap<string, string>) => [...jar.keys()].filter((name) => !name.includes('_multi-'))

async function signedUp() {
  const account = someone()
  const made = createClient()
  await made.client.signUp.email(account)
  return { ...made, account }
}

describe('the reference client', () => {
  it('gets tokens for other services, by the call and by the header of its session', async () => {
    const { client, account } = await signedUp()
    const { data } = await client.$fetch<{ token: string }>('/token')
    const sent: (string | null)[] = []
    await client.getSession({
      fetchOptions: { onSuccess: ({ response }) => void sent.push(response.headers.get('set-auth-jwt')) },
    })
    const keys = createRemoteJWKSet(new URL(`${service.url}/api/auth/jwks`))
    for (const token of [data?.token, ...sent]) {
      const { payload, protectedHeader } = await jwtVerify(token ?? '', keys)
      expect(payload).toMatchObject({
        email: account.email,
        iss: 'http://127.0.0.1:4199',
        aud: 'http://127.0.0.1:4199',
      })
      expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) })
    }
    expect(sent).toHaveLength(1)
  })

  it('signs up, and sees its session with dates', async () => {
    const { client, jar } = createClient()
    const account = someone()
    const { data, error } = await client.signUp.email(account)
    expect(error).toBeNull()
    expect(data).toEqual({
      token: expect.any(String),
      user: {
        id: expect.any(String),
        email: account.email,
        name: 'Ann',
        image: null,
        emailVerified: false,
        language: null,
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        role: 'user',
        banned: null,
        banReason: null,
        banExpires: null,
      },
    })
    expect(ownIn(jar)).toEqual(['postern.session_token', 'postern.known_device'])
    const session = (await client.getSession()).data
    expect(session?.user).toMatchObject({ email: account.email, role: 'user' })
    expect(session?.session).toMatchObject({ token: data?.token, expiresAt: expect.any(Date) })
  })

  it('signs in, remembered or not, and is told where to go', async () => {
    const { account } = await signedUp()
    const { client, jar } = createClient()
    const { email, password } = account
    const { data } = await client.signIn.email({ email, password, callbackURL: '/home', rememberMe: false })
    expect(data).toMatchObject({ redirect: true, url: '/home', user: { email } })
    expect(ownIn(jar)).toEqual(['postern.session_token', 'postern.dont_remember', 'postern.known_device'])
    expect((await client.getSession()).data?.user.email).toBe(email)
    expect((await client.signIn.email({ email, password })).data).toMatchObject({ redirect: false })
    expect(ownIn(jar)).toEqual(['postern.session_token', 'postern.known_device'])
  })

  it('changes name and image', async () => {
    const { client } = await signedUp()
    expect((await client.updateUser({ name: 'Anna', image: 'https://example.com/a.png' })).data).toEqual({
      status: true,
    })
    expect((await client.getSession()).data?.user).toMatchObject({ name: 'Anna', image: 'https://example.com/a.png' })
  })

  it('lists and revokes sessions', async () => {
    const { client, account } = await signedUp()
    const others = [createClient(), createClient(), createClient()]
    for (const other of others) await other.client.signIn.email(account)
    const { data: sessions } = await client.listSessions()
    expect(sessions).toHaveLength(4)
    expect(sessions?.every(({ expiresAt }) => expiresAt instanceof Date)).toBe(true)
    const own = (await client.getSession()).data?.session
    const [newest] = sessions?.filter(({ id }) => id !== own?.id) ?? []
    expect((await client.revokeSession({ token: newest?.token ?? '' })).data).toEqual({ status: true })
    expect((await others[2]!.client.getSession()).data).toBeNull()
    expect((await others[1]!.client.getSession()).data).not.toBeNull()
    expect((await client.revokeOtherSessions()).data).toEqual({ status: true })
    expect((await others[1]!.client.getSession()).data).toBeNull()
    expect((await client.revokeSessions()).data).toEqual({ status: true })
    expect((await client.getSession()).data).toBeNull()
  })

  it('signs out', async () => {
    const { client, jar } = await signedUp()
    expect((await client.signOut()).data).toEqual({ success: true })
    expect(ownIn(jar)).toEqual(['postern.known_device'])
    expect(await client.getSession()).toMatchObject({ data: null, error: null })
  })

  it('works with a bearer token alone', async () => {
    const { account } = await signedUp()
    let token = ''
    const onSuccess = ({ response }: { response: Response }) => {
      token = response.headers.get('set-auth-token') ?? ''
    }
    await createClient().client.signIn.email(account, { onSuccess })
    const client = createAuthClient({ baseURL: service.url, fetchOptions: { auth: { type: 'Bearer', token } } })
    expect((await client.getSession()).data?.user.email).toBe(account.email)
    expect((await client.updateUser({ name: 'Anna' })).error).toBeNull()
  })

  it('gets errors with code, message and status', async () => {
    const { client, account } = await signedUp()
    const { email } = account
    expect(await client.signUp.email(account)).toEqual({
      data: null,
      error: expect.objectContaining({ code: 'USER_ALREADY_EXISTS', message: 'User already exists', status: 422 }),
    })
    expect((await client.signIn.email({ email, password: 'wrong' })).error).toMatchObject({
      code: 'INVALID_EMAIL_OR_PASSWORD',
      message: 'Invalid email or password',
      status: 401,
    })
    expect((await client.revokeSession({ token: 'unknown' })).error).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      status: 400,
    })
    const { error } = await createClient().client.listSessions()
    expect([error?.status, error?.message]).toEqual([401, undefined])
    expect((await createClient().client.signOut()).error).toMatchObject({ code: 'FAILED_TO_GET_SESSION', status: 400 })
  })

  it('verifies its address by the token of the mail', async () => {
    const { client, account } = await signedUp()
    expect(await client.sendVerificationEmail({ email: account.email, callbackURL: '/done' })).toMatchObject({
      data: { status: true },
      error: null,
    })
    const { token } = await linkTo(mails, account.email, 'verify-email')
    expect(await client.verifyEmail({ query: { token } })).toMatchObject({ data: { status: true, user: null } })
    expect((await client.getSession()).data?.user.emailVerified).toBe(true)
    expect((await client.verifyEmail({ query: { token: 'x' } })).error).toMatchObject({
      code: 'INVALID_TOKEN',
      message: 'invalid_token',
      status: 401,
    })
  })

  it('sets a new password by the token of the mail', async () => {
    const { client, account } = await signedUp()
    expect((await client.forgetPassword({ email: account.email, redirectTo: '/reset' })).data).toMatchObject({
      status: true,
    })
    const { token } = await linkTo(mails, account.email, 'reset-password')
    const newPassword = 'another horse battery staple'
    expect((await client.resetPassword({ newPassword, token })).data).toEqual({ status: true })
    expect((await client.resetPassword({ newPassword, token })).error).toMatchObject({ message: 'invalid token' })
    expect((await client.getSession()).data).toBeNull()
    expect((await client.signIn.email({ ...account, password: newPassword })).error).toBeNull()
  })

  it('changes its password, and goes on with the new session', async () => {
    const { client, account } = await signedUp()
    const other = createClient()
    await other.client.signIn.email(account)
    const { data, error } = await client.changePassword({
      currentPassword: testPassword,
      newPassword: 'another horse battery staple',
      revokeOtherSessions: true,
    })
    expect(error).toBeNull()
    expect(data).toMatchObject({ token: expect.any(String), user: { email: account.email } })
    expect((await client.getSession()).data?.session.token).toBe(data?.token)
    expect((await other.client.getSession()).data).toBeNull()
  })

  it('changes its address: at once while it is unverified, by mail afterwards', async () => {
    const { client } = await signedUp()
    const [second, third] = [someone().email, someone().email]
    expect((await client.changeEmail({ newEmail: second, callbackURL: '/done' })).data).toEqual({ status: true })
    expect((await client.getSession()).data?.user.email).toBe(second)
    const verification = await linkTo(mails, second, 'verify-email')
    await client.verifyEmail({ query: { token: verification.token } })
    expect((await client.changeEmail({ newEmail: third })).data).toEqual({ status: true })
    const { token } = await linkTo(mails, second, 'change-email')
    const { data } = await client.verifyEmail({ query: { token } })
    expect(data).toMatchObject({ status: true, user: { email: third, emailVerified: false } })
    expect((await client.getSession()).data?.user.email).toBe(third)
  })

  it('deletes its user', async () => {
    const { client, account, jar } = await signedUp()
    expect((await client.deleteUser({ password: 'wrong horse battery staple' })).error).toMatchObject({
      code: 'INVALID_PASSWORD',
    })
    expect((await client.deleteUser({ password: testPassword })).data).toEqual({
      success: true,
      message: 'User deleted',
    })
    expect([jar.size, (await client.getSession()).data]).toEqual([0, null])
    expect((await client.signIn.email(account)).error?.status).toBe(401)
  })

  /** What the browser does between the call and the page that it was to lead to. */
  async function comeBack(jar: Map<string, string>, url: string, person: Person): Promise<string> {
    const back = callbackOf(await provider.visit(url, person))
    const headers = { cookie: cookieHeader(jar) }
    const response = await fetch(`${service.url}/api/auth${back}`, { redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
    return response.headers.get('location') ?? ''
  }

  it('signs in at a provider, and sees its session', async () => {
    const { client, jar } = createClient()
    const person = personAt()
    const { data, error } = await client.signIn.social({ provider: 'google', callbackURL: '/home' })
    expect([error, data?.redirect]).toEqual([null, true])
    expect(await comeBack(jar, data?.url ?? '', person)).toBe('/home')
    expect((await client.getSession()).data?.user).toMatchObject({ email: person.email, emailVerified: true })
    expect(ownIn(jar)).toEqual(['postern.session_token'])
  })

  it('signs in with an id token', async () => {
    const { client } = createClient()
    const idToken = { token: await idTokenOf(provider) }
    const { data, error } = await client.signIn.social({ provider: 'google', idToken })
    expect([error, data]).toEqual([
      null,
      { redirect: false, token: expect.any(String), user: expect.objectContaining({ createdAt: expect.any(Date) }) },
    ])
    expect((await client.getSession()).data).not.toBeNull()
  })

  it('links an account, lists what it has, and unlinks', async () => {
    const { client, jar, account } = await signedUp()
    const { data } = await client.linkSocial({ provider: 'google', callbackURL: '/linked' })
    expect(await comeBack(jar, data?.url ?? '', personAt({ email: account.email }))).toBe('/linked')
    const { data: accounts } = await client.listAccounts()
    expect(accounts).toEqual(
      ['credential', 'google'].map((id) => ({
        id: expect.any(String),
        provider: id,
        providerId: id,
        userId: expect.any(String),
        accountId: expect.any(String),
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        scopes: id === 'google' ? ['email', 'openid', 'profile'] : [],
      })),
    )
    expect((await client.unlinkAccount({ providerId: 'google' })).data).toEqual({ status: true })
    expect((await client.unlinkAccount({ providerId: 'credential' })).error).toMatchObject({
      status: 400,
      message: "You can't unlink your last account",
    })
  })

  it('is told what a provider cannot do', async () => {
    const { client } = createClient()
    expect((await client.signIn.social({ provider: 'apple' })).error).toMatchObject({
      status: 404,
      code: 'PROVIDER_NOT_FOUND',
    })
    const unknown = 'acme' as 'apple'
    expect((await client.signIn.social({ provider: unknown })).error).toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('changes between the accounts of one browser, and leaves one of them', async () => {
    const [ann, bob] = [await signedUp(), await signedUp()]
    const { client } = ann
    await client.signIn.email(bob.account)
    const { data } = await client.multiSession.listDeviceSessions()
    expect(data?.map(({ user }) => user.email)).toEqual([ann.account.email, bob.account.email])
    const [first] = data ?? []
    const sessionToken = first?.session.token ?? ''
    const chosen = await client.multiSession.setActive({ sessionToken })
    expect(chosen.data?.user.email).toBe(ann.account.email)
    expect((await client.getSession()).data?.user.email).toBe(ann.account.email)
    expect((await client.multiSession.revoke({ sessionToken })).data).toEqual({ status: true })
    expect((await client.getSession()).data?.user.email).toBe(bob.account.email)
    const { error } = await client.multiSession.setActive({ sessionToken })
    expect([error?.status, error?.code]).toEqual([401, 'INVALID_SESSION_TOKEN'])
  })

  it('gets 404 for what there is not, and lives on', async () => {
    const { client } = await signedUp()
    const { error } = await client.$fetch<unknown>('/passkey/list-user-passkeys', { method: 'GET' })
    expect(error?.status).toBe(404)
    expect((await client.getSession()).error).toBeNull()
  })
})
