import { randomUUID } from 'node:crypto'
import type { BetterAuthClientPlugin } from 'better-auth/client'
import { createAuthClient } from 'better-auth/client'
import { adminClient, jwtClient, organizationClient } from 'better-auth/client/plugins'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { type Service, startService } from '../start.ts'
import { cloneDatabase, settingsOf } from './database.ts'
import { testPassword } from './service.ts'
import { cookieHeader, keepCookie } from './visitor.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let service: Service
beforeAll(async () => {
  cloned = await cloneDatabase()
  const settings = { PORT: '0', RATE_LIMIT: 'off', SECRET: 'k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6pCa1E', MIGRATE: 'off' }
  service = await startService(parseConfig({ ...settings, ...settingsOf(cloned.database) }), pino({ level: 'silent' }))
})
afterAll(async () => {
  await service.stop({ notice: 0 })
  await cloned.drop()
})

/** Its own types do not pass our compiler's `exactOptionalPropertyTypes`. */
const organization = organizationClient() as unknown as BetterAuthClientPlugin

/** The client as its users have it, unmodified, with a jar such as a browser would be. */
function createClient() {
  const jar = new Map<string, string>()
  const customFetchImpl: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    if (jar.size > 0) headers.set('cookie', cookieHeader(jar))
    const response = await fetch(input, { ...init, headers })
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
    return response
  }
  const client = createAuthClient({
    baseURL: service.url,
    plugins: [organization, adminClient(), jwtClient()],
    fetchOptions: { customFetchImpl },
  })
  return { client, jar }
}

const someone = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann', password: testPassword })

async function signedUp() {
  const account = someone()
  const made = createClient()
  await made.client.signUp.email(account)
  return { ...made, account }
}

describe('the reference client', () => {
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
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
      },
    })
    expect([...jar.keys()]).toEqual(['postern.session_token'])
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
    expect([...jar.keys()]).toEqual(['postern.session_token', 'postern.dont_remember'])
    expect((await client.getSession()).data?.user.email).toBe(email)
    expect((await client.signIn.email({ email, password })).data).toMatchObject({ redirect: false })
    expect([...jar.keys()]).toEqual(['postern.session_token'])
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
    expect([...jar]).toEqual([])
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

  it('gets 404 for what is not built yet, and lives on', async () => {
    const { client } = await signedUp()
    const { error } = await client.$fetch<unknown>('/organization/list', { method: 'GET' })
    expect(error?.status).toBe(404)
    expect((await client.getSession()).error).toBeNull()
  })
})
