import { describe, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { adminOf, type Somebody, somebody } from '../../testing/admins.ts'
import { linkTo, open } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { personAt, signInAt } from '../../testing/social.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), TRUSTED_PROVIDERS: 'google' }))
const root = useMade(() => adminOf(service))

interface Acting {
  readonly admin: Somebody
  readonly user: Somebody
  /** The browser that acts as the user. */
  readonly acting: Visitor
}

/** The administrator goes on as themselves in one browser, and acts as the user in another with the same session. */
async function begin(at = service, who?: Somebody): Promise<Acting> {
  const [admin, user, acting] = [who ?? (await adminOf(at)), await somebody(at), at.visitor()]
  for (const [name, value] of admin.cookies) acting.cookies.set(name, value)
  expect((await acting.post('/admin/impersonate-user', { userId: user.id })).status).toBe(200)
  return { admin, user, acting }
}

const age = ({ user }: Acting) => service.deps.sql`
  update sessions set expires_at = now() - interval '1 second' where user_id = ${user.id} and impersonated_by is not null
`

const fresh = () => `named-${crypto.randomUUID()}@example.com`

const isActing = async ({ acting }: Acting) => Boolean((await acting.get('/get-session')).body?.session.impersonatedBy)

const ends: Record<string, readonly [reason: string | undefined, end: (who: Acting) => Promise<unknown>]> = {
  'is stopped': [undefined, ({ acting }) => acting.post('/admin/stop-impersonating')],
  'signs out': ['ended', ({ acting }) => acting.post('/sign-out')],
  'expires, and is swept': ['expired', async (who) => [await age(who), await sweep(service.deps)]],
  'expires, and is used': ['expired', async (who) => [await age(who), await who.acting.get('/get-session')]],
  'loses the session that it was begun in': ['ended', ({ admin }) => admin.post('/sign-out')],
  'is of an administrator who ends all sessions': ['ended', ({ admin }) => admin.post('/revoke-sessions')],
  'is of an administrator who signs in again': [
    'ended',
    ({ admin }) => admin.post('/sign-in/email', { email: admin.email, password: testPassword }),
  ],
  'is of an administrator who loses the right': [
    'ended',
    ({ admin }) => root.post('/admin/set-role', { userId: admin.id, role: 'user' }),
  ],
  'is of an administrator who is banned': ['ended', ({ admin }) => root.post('/admin/ban-user', { userId: admin.id })],
  'is of a user who is banned': ['ended', ({ user }) => root.post('/admin/ban-user', { userId: user.id })],
  'is of a user who is removed': ['ended', ({ user }) => root.post('/admin/remove-user', { userId: user.id })],
}

it.each(Object.keys(ends))('an impersonation that %s is told to have ended, exactly once', async (name) => {
  const [reason, end] = ends[name]!
  const who = await begin()
  await end(who)
  await sweep(service.deps)
  expect(
    await service.deps.sql`select from sessions where user_id = ${who.user.id} and impersonated_by is not null`,
  ).toHaveLength(0)
  const told = await service.deps.sql`
    select actor_id, impersonator_id, details->>'reason' as reason from audit_events
    where event = 'impersonation-ended' and user_id = ${who.user.id}
  `
  expect([...told]).toEqual([{ actorId: who.user.id, impersonatorId: who.admin.id, reason: reason ?? null }])
})

it('and of two at once that end together each is told', async () => {
  const [user, admins] = [await somebody(service), [await adminOf(service), await adminOf(service)]]
  for (const admin of [admins[0]!, admins[1]!]) {
    const acting = service.copyOf(admin)
    await acting.post('/admin/impersonate-user', { userId: user.id })
    await acting.post('/admin/impersonate-user', { userId: user.id })
  }
  await user.post('/revoke-sessions')
  const told = await service.deps.sql`
    select impersonator_id from audit_events where event = 'impersonation-ended' and user_id = ${user.id}
  `
  expect(told.map(({ impersonatorId }) => String(impersonatorId)).toSorted()).toEqual(
    admins.map(({ id }) => id).toSorted(),
  )
})

it.each<[string, (user: Somebody, named: TestService) => Promise<unknown>]>([
  [
    'is declared to have proved',
    ({ id: userId }, named) => named.copyOf(root).post('/admin/update-user', { userId, data: { emailVerified: true } }),
  ],
  [
    'proves',
    async (user, named) => {
      await user.post('/send-verification-email', { email: user.email })
      await named.copyOf(user).get(`/verify-email?token=${(await linkTo(service, user.email, 'verify-email')).token}`)
    },
  ],
  [
    'proves by a sign-in at a provider',
    ({ email }, named) => signInAt(provider, named.visitor(), personAt({ email, email_verified: true })),
  ],
])(
  'the impersonation of a user ends when they are an administrator by an address that the user %s',
  async (_what, prove) => {
    const [one, other] = [await begin(), await begin()]
    const named = await service.sibling({ ADMIN_EMAILS: one.user.email })
    for (const { user } of [one, other]) await prove(user, named)
    expect([await isActing(one), await isActing(other)]).toEqual([false, true])
  },
)

it('the impersonation of a user who proved their address ends when they are given that of an administrator', async () => {
  const [user, admin, acting, email] = [await somebody(service), await adminOf(service), service.visitor(), fresh()]
  await proveAddress(service.deps.sql, user.email)
  for (const [name, value] of admin.cookies) acting.cookies.set(name, value)
  await acting.post('/admin/impersonate-user', { userId: user.id })
  const named = await service.sibling({ ADMIN_EMAILS: email })
  await named.copyOf(root).post('/admin/update-user', { userId: user.id, data: { email, emailVerified: true } })
  expect(await isActing({ admin, user, acting })).toBe(false)
})

it('the impersonation of a user ends when they change to the address of an administrator', async () => {
  const who = await begin()
  const to = `named-${crypto.randomUUID()}@example.com`
  const named = await service.sibling({ ADMIN_EMAILS: to, REQUIRE_EMAIL_VERIFICATION: 'on' })
  const user = named.copyOf(who.user)
  await user.post('/change-email', { newEmail: to })
  await user.get(`/verify-email?token=${(await linkTo(named, to, 'verify-email')).token}`)
  expect([(await user.get('/get-session')).body.user.email, await isActing(who)]).toEqual([to, false])
})

describe('the impersonation of an administrator named by an address', () => {
  const others = () => `other-${crypto.randomUUID()}@example.com`

  /** Somebody who acts as a user at a service whose settings name their proven address, and `also`. */
  async function beginNamed() {
    const [email, also] = [`named-${crypto.randomUUID()}@example.com`, `also-${crypto.randomUUID()}@example.com`]
    const named = await service.sibling({ ADMIN_EMAILS: `${email},${also}`, COOKIE_CACHE: 'on' })
    const admin = await somebody(named, { email })
    await proveAddress(service.deps.sql, email)
    const who = await begin(named, admin)
    const at = named.copyOf(root)
    const update = (data: object) => at.post('/admin/update-user', { userId: admin.id, data })
    const change = async (newEmail: string) => {
      await admin.post('/change-email', { newEmail, callbackURL: '/done' })
      const { url } = await linkTo(named, email, 'change-email')
      return (await open(named, admin, url)).headers.get('location')
    }
    return { ...who, also, named, update, change }
  }

  type Named = Awaited<ReturnType<typeof beginNamed>>
  const rowsOf = async ({ admin }: Named) =>
    (await service.deps.sql`select from sessions where impersonated_by = ${admin.id}`).count

  it.each<[string, (who: Named) => Promise<unknown>]>([
    ['is given another one', ({ update }) => update({ email: others() })],
    [
      'is given another one that is declared verified',
      ({ update }) => update({ email: others(), emailVerified: true }),
    ],
    ['no longer counts as verified', ({ update }) => update({ emailVerified: false })],
    ['replaces it', ({ change }) => change(others())],
  ])('ends when the administrator %s, also where the cookie is cached', async (_what, end) => {
    const who = await beginNamed()
    expect(await isActing(who)).toBe(true)
    await end(who)
    expect(await isActing(who)).toBe(false)
    expect(await rowsOf(who)).toBe(0)
  })

  it.each<[string, (who: Named) => Promise<unknown>]>([
    ['has another name', ({ update }) => update({ name: 'Anna' })],
    ['is declared verified once more', ({ update }) => update({ emailVerified: true })],
    ['is given another one that is named, too', ({ update, also }) => update({ email: also, emailVerified: true })],
    [
      'has the right by a role as well',
      async ({ admin, change }) => {
        await service.deps.sql`update users set roles = '{admin}' where id = ${admin.id}`
        return change(others())
      },
    ],
  ])('goes on when the administrator %s', async (_what, act) => {
    const who = await beginNamed()
    await act(who)
    expect([await isActing(who), await rowsOf(who)]).toEqual([true, 1])
  })
})
