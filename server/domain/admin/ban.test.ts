import { describe, expect, it } from 'vitest'
import { adminOf, type Somebody, somebody } from '../../testing/admins.ts'
import { isSignedIn, linkTo, open } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { idTokenOf, linkAt, personAt, signInAt } from '../../testing/social.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), AUTO_SIGN_IN_AFTER_VERIFICATION: 'on' }))
const admin = useMade(() => adminOf(service))

const ban = (userId: string, more: object = {}) => admin.post('/admin/ban-user', { userId, ...more })
const unban = (userId: string) => admin.post('/admin/unban-user', { userId })
const rowsOf = async (table: string, userId: string) => {
  const { sql } = service.deps
  return (await sql`select from ${sql(table)} where user_id = ${userId}`).length
}

describe('a ban', () => {
  it('has a reason and an end: those given, or those of the settings', async () => {
    const { id } = await somebody(service)
    const first = (await ban(id)).body.user
    expect(first).toMatchObject({ id, banned: true, banReason: 'No reason', banExpires: null })
    const { banExpires, banReason } = (await ban(id, { banReason: 'Spam', banExpiresIn: 3600 })).body.user
    expect([banReason, Math.abs(Date.parse(banExpires) - Date.now() - 3_600_000) < 60_000]).toEqual(['Spam', true])
    // Anew without an end: for good.
    expect((await ban(id)).body.user.banExpires).toBeNull()
    const other = await service.sibling({ DEFAULT_BAN_REASON: 'Rules', DEFAULT_BAN_EXPIRES_IN: '1d' })
    const by = await adminOf(other)
    const { user } = (await by.post('/admin/ban-user', { userId: id })).body
    expect([user.banReason, Date.parse(user.banExpires) > Date.now() + 80_000_000]).toEqual(['Rules', true])
    const lifted = await unban(id)
    expect(lifted.body.user).toMatchObject({ id, banned: false, banReason: null, banExpires: null })
    expect([(await unban(id)).body, (await unban((await somebody(service)).id)).body.user.banned]).toEqual([
      lifted.body,
      false,
    ])
  })

  it.each([-1, 0, 0.5, 315_360_001, 1e300])('of %d seconds is none', async (banExpiresIn) => {
    const { id } = await somebody(service)
    expect((await ban(id, { banExpiresIn })).status).toBe(400)
    expect((await ban(id, { banExpiresIn: 315_360_000 })).status).toBe(200)
  })

  it('takes sessions, sign-ins under way and mailed links along, and an unban brings none of them back', async () => {
    const ann = await somebody(service)
    await service.visitor().post('/forget-password', { email: ann.email })
    const reset = await linkTo(service, ann.email, 'reset-password')
    await ann.post('/send-verification-email', { email: ann.email })
    await proveAddress(service.deps.sql, ann.email)
    await ann.post('/change-email', { newEmail: `new-${ann.email}` })
    await (await service.sibling({ DELETE_USER_MODE: 'email' })).copyOf(ann).post('/delete-user')
    expect(await rowsOf('verifications', ann.id)).toBe(4)
    const device = await approvedDevice(ann)
    expect([await rowsOf('sessions', ann.id), await rowsOf('device_requests', ann.id)]).toEqual([1, 1])
    await ban(ann.id)
    for (const table of ['sessions', 'device_requests', 'verifications'])
      expect([table, await rowsOf(table, ann.id)]).toEqual([table, 0])
    await unban(ann.id)
    expect(await isSignedIn(ann)).toBe(false)
    expect((await poll(device)).status).toBe(400)
    const { token } = reset
    expect((await service.visitor().post('/reset-password', { token, newPassword: 'another battery' })).status).toBe(
      400,
    )
    expect(await countSessions(service, ann.email)).toBe(0)
    expect((await signIn(ann)).status).toBe(200)
  })

  it('is told in the words of the settings', async () => {
    const ann = await somebody(service)
    await ban(ann.id)
    expect((await signIn(ann)).body.message).toMatch(/^You have been banned from this application/)
    const other = await service.sibling({ BANNED_USER_MESSAGE: 'Write to help@example.com' })
    const { email } = ann
    // Other words than the contract has: asked for without looking at the answer.
    const url = `${other.deps.config.BASE_URL.origin}/api/auth/sign-in/email`
    const headers = { 'content-type': 'application/json' }
    const reply = await other.app.request(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, password: testPassword }),
    })
    expect([reply.status, await reply.json()]).toEqual([
      403,
      { code: 'BANNED_USER', message: 'Write to help@example.com' },
    ])
  })
})

const signIn = ({ email }: Somebody) => service.visitor().post('/sign-in/email', { email, password: testPassword })
const poll = (device: string) =>
  service.visitor().post('/device/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device,
    client_id: 'a-terminal',
  })

/** A sign-in of another machine, approved and not yet taken. */
async function approvedDevice(person: Visitor): Promise<string> {
  const { body } = await service.visitor().post('/device/code', { client_id: 'a-terminal' })
  await person.get(`/device?user_code=${body.user_code}`)
  const { status } = await person.post('/device/approve', { userCode: body.user_code })
  expect(status).toBe(200)
  return body.device_code
}

/** Every way to be signed in, made ready for a person; the answer goes that way. */
const doors: Record<string, (ann: Somebody) => Promise<() => Promise<Reply>>> = {
  password: (ann) => Promise.resolve(() => signIn(ann)),
  'a provider': async (ann) => {
    const identity = personAt({ email: ann.email })
    await linkAt(provider, ann, identity)
    return () => signInAt(provider, service.visitor(), identity)
  },
  'an id token': async (ann) => {
    const identity = personAt({ email: ann.email })
    await linkAt(provider, ann, identity)
    return async () =>
      service.visitor().post('/sign-in/social', { provider: 'google', idToken: { token: await idToken(identity) } })
  },
  'One Tap': async (ann) => {
    const identity = personAt({ email: ann.email })
    await linkAt(provider, ann, identity)
    return async () => service.visitor().post('/one-tap/callback', { idToken: await idToken(identity) })
  },
  'a session': (ann) => Promise.resolve(() => ann.get('/list-sessions')),
  'a bearer token': async (ann) => {
    const { token } = (await ann.get('/get-session')).body.session
    return () => service.visitor().get('/list-sessions', { authorization: `Bearer ${token}` })
  },
  'a sign-in of another machine': async (ann) => {
    const device = await approvedDevice(ann)
    return () => poll(device)
  },
  impersonation: async (ann) => {
    const other = await adminOf(service)
    return () => other.post('/admin/impersonate-user', { userId: ann.id })
  },
  'a mailed link': async (ann) => {
    await service.visitor().post('/send-verification-email', { email: ann.email })
    const { url } = await linkTo(service, ann.email, 'verify-email')
    return async () => {
      const visitor = service.visitor()
      await open(service, visitor, url)
      return visitor.get('/list-sessions')
    }
  },
}

const idToken = (identity: ReturnType<typeof personAt>) => idTokenOf(provider, { ...identity })

describe.each(Object.keys(doors))('by %s', (door) => {
  it('nobody comes in who is banned, and nothing begins', async () => {
    const ann = await somebody(service)
    const enter = await doors[door]!(ann)
    await ban(ann.id)
    const { status, headers } = await enter()
    expect([
      status >= 400 || /error=/.test(headers.get('location') ?? ''),
      await countSessions(service, ann.email),
    ]).toEqual([true, 0])
  })

  it('nobody comes in while the ban lasts, with rows of before', async () => {
    const ann = await somebody(service)
    const enter = await doors[door]!(ann)
    // As if the ban had ended no session: each way looks for itself.
    await service.deps.sql`update users set banned = true, ban_expires = now() + interval '1 h' where id = ${ann.id}`
    const { status, headers } = await enter()
    expect(status >= 400 || /error=/.test(headers.get('location') ?? '')).toBe(true)
  })
})

describe('a ban that is over', () => {
  const ended = ({ id }: Somebody) => service.deps.sql`
    update users set banned = true, ban_reason = 'Spam', ban_expires = now() - interval '1 s' where id = ${id}
  `
  const banOf = async ({ id }: Somebody) => {
    const [row] = await service.deps.sql`select banned, ban_reason, ban_expires from users where id = ${id}`
    return row
  }
  const lifted = { banned: false, banReason: null, banExpires: null }
  const entrances = Object.keys(doors).filter((door) => !['a session', 'a bearer token'].includes(door))

  it.each(entrances)('leaves nothing behind after a sign-in by %s', async (door) => {
    const ann = await somebody(service)
    const enter = await doors[door]!(ann)
    await ended(ann)
    const { status, body } = await enter()
    expect(status).toBeLessThan(400)
    expect(body?.user ?? lifted).toMatchObject(lifted)
    expect(await banOf(ann)).toEqual(lifted)
  })

  it('is not lifted by looking, nor while it lasts', async () => {
    const ann = await somebody(service)
    await ended(ann)
    expect((await ann.get('/get-session')).body.user.banReason).toBe('Spam')
    const bob = await somebody(service)
    await ban(bob.id, { banExpiresIn: 3600 })
    await signIn(bob)
    expect(await banOf(bob)).toMatchObject({ banned: true })
  })
})
