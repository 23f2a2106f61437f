import { describe, expect, it } from 'vitest'
import { actingAs } from '../../testing/admins.ts'
import { canSignIn, isSignedIn, linkTo } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { type TestService } from '../../testing/service.ts'
import { idTokenOf, linkedPerson, locationOf, personAt, signInAt, whileNothingIsKept } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME') }))

/** Ids of the providers by which somebody may sign in as the user of an address. */
async function waysInOf({ deps: { sql } }: TestService, email: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select a.provider_id as id from accounts a join users u on u.id = a.user_id where u.email = ${email} order by id
  `
  return rows.map(({ id }) => id)
}

const switches = [true, false]
const cases = switches.flatMap((isLocalVerified) =>
  switches.flatMap((isProviderVerified) =>
    switches.flatMap((isTrusted) =>
      switches.map((isLinking) => ({ isLocalVerified, isProviderVerified, isTrusted, isLinking })),
    ),
  ),
)

/** The three ways to prove an identity of google; each answers whether it signed in, or the code of the refusal. */
const ways: Record<string, (at: TestService, email: string, isVerified: boolean) => Promise<string>> = {
  'a redirect': async (at, email, email_verified) => {
    const reply = await signInAt(provider, at.visitor(), personAt({ email, email_verified }), {
      errorCallbackURL: '/no',
    })
    return locationOf(reply)
  },
  'an id token': async (at, email, email_verified) => {
    const token = await idTokenOf(provider, { email, email_verified })
    const { status, body } = await at.visitor().post('/sign-in/social', { provider: 'google', idToken: { token } })
    return status === 200 ? '/home' : `/no?error=${body.message.replaceAll(' ', '_')}`
  },
  'one tap': async (at, email, email_verified) => {
    const idToken = await idTokenOf(provider, { email, email_verified })
    const { status, body } = await at.visitor().post('/one-tap/callback', { idToken })
    return status === 200
      ? '/home'
      : body.message === "Google sub doesn't match"
        ? '/no?error=account_not_linked'
        : body.message
  },
}

describe.each(Object.keys(ways))('by %s, an unknown identity with the address of a user', (way) => {
  it.each(cases)(
    '$isLocalVerified here, $isProviderVerified there, trusted $isTrusted, linking $isLinking',
    async (one) => {
      const at = await service.sibling({
        TRUSTED_PROVIDERS: one.isTrusted ? 'google' : 'github',
        ACCOUNT_LINKING: one.isLinking ? 'on' : 'off',
      })
      const ann = await service.person()
      if (one.isLocalVerified) await proveAddress(service.deps.sql, ann.email)
      const isLinked = one.isProviderVerified && one.isTrusted && one.isLinking
      const expected = isLinked ? '/home' : '/no?error=account_not_linked'
      expect(await ways[way]!(at, ann.email, one.isProviderVerified)).toBe(expected)
      // Whoever had not proved the address is out when its owner comes.
      const isOver = isLinked && !one.isLocalVerified
      expect([await waysInOf(service, ann.email), await isSignedIn(ann)]).toEqual([
        [...(isOver ? [] : ['credential']), ...(isLinked ? ['google'] : [])],
        !isOver,
      ])
      await at.stop()
    },
  )
})

it('the arrival of the owner of an address ends no impersonation of its user', async () => {
  const { admin, user } = await actingAs(service)
  expect(await ways['one tap']!(service, user.email, true)).toBe('/home')
  expect(await isSignedIn(user)).toBe(false)
  expect((await admin.get('/get-session')).body.user.email).toBe(user.email)
})

describe('an identity', () => {
  const user = async (visitor: Awaited<ReturnType<typeof service.person>> | ReturnType<typeof service.visitor>) =>
    (await visitor.get('/get-session')).body?.user

  it('that could not be linked is refused by One Tap in its own words', async () => {
    const { email } = await service.person()
    const idToken = await idTokenOf(provider, { email })
    const tap = () => service.visitor().post('/one-tap/callback', { idToken })
    const { status, body } = await whileNothingIsKept(service, 'accounts', tap)
    expect([status, body.message]).toEqual([401, "Google sub doesn't match"])
    expect((await tap()).status).toBe(200)
  })

  it('is provider and id together: the same id elsewhere is somebody else', async () => {
    const [ann, bob] = [service.visitor(), service.visitor()]
    const person = personAt()
    await signInAt(provider, ann, person)
    await signInAt(provider, bob, { ...person, email: `other-${person.email}` }, { provider: 'acme' })
    const [one, other] = [await user(ann), await user(bob)]
    expect([one.email, other.email, one.id === other.id]).toEqual([person.email, `other-${person.email}`, false])
  })

  it('stays with its user whatever address it has today', async () => {
    const [ann, later] = [service.visitor(), service.visitor()]
    const bob = await service.person()
    await proveAddress(service.deps.sql, bob.email)
    const person = personAt()
    await signInAt(provider, ann, person)
    await signInAt(provider, later, { ...person, email: bob.email })
    expect((await user(later)).id).toBe((await user(ann)).id)
    expect((await user(later)).email).toBe(person.email)
  })

  it('at a provider that somebody has already is looked at by its id: another one is not let in', async () => {
    const person = personAt()
    const ann = service.visitor()
    await signInAt(provider, ann, person)
    const eve = service.visitor()
    const evil = personAt({ email: person.email, email_verified: false })
    expect(locationOf(await signInAt(provider, eve, evil, { errorCallbackURL: '/no' }))).toBe(
      '/no?error=account_not_linked',
    )
    expect(await user(eve)).toBeUndefined()
  })

  it('makes one user, however many of its sign-ins come at once', async () => {
    const { sub, email } = personAt()
    const tokens = await Promise.all(
      Array.from({ length: 10 }, (_, index) => idTokenOf(provider, { sub, email, jti: String(index) })),
    )
    const other = await service.sibling()
    const replies = await Promise.all(
      tokens.map((token, index) =>
        (index % 2 ? service : other).visitor().post('/sign-in/social', { provider: 'google', idToken: { token } }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(new Set(replies.map(({ body }) => body.user.id)).size).toBe(1)
  })

  it('brings a name and a picture that do no harm', async () => {
    const ann = service.visitor()
    const name = `\u202eAnn\x1b[2J\r\n${'x'.repeat(500)}`
    await signInAt(provider, ann, personAt({ name, picture: 'javascript:alert(1)' }))
    const { name: shown, image } = await user(ann)
    expect([image, shown.startsWith('Ann [2J x'), shown.length]).toEqual([null, true, 200])
  })

  it('is named by its address where it has no name, and mailed where that is not proven', async () => {
    const mailing = await service.sibling({ SEND_VERIFICATION_ON_SIGN_UP: 'on' })
    const person = personAt({ name: undefined, email_verified: false })
    const ann = mailing.visitor()
    await signInAt(provider, ann, person)
    expect(await user(ann)).toMatchObject({ name: person.email, email: person.email, emailVerified: false })
    const { sql } = service.deps
    const mails =
      await sql`select o.kind from outbox o join users u on u.id = o.user_id where u.email = ${person.email ?? ''}`
    expect(mails).toEqual([{ kind: 'verify-email' }])
  })

  it('ends the session that came along, and keeps the number of sessions', async () => {
    const few = await service.sibling({ SESSION_LIMIT: '2' })
    const person = personAt()
    const visitors = [few.visitor(), few.visitor(), few.visitor()]
    for (const visitor of visitors) await signInAt(provider, visitor, person)
    expect(await Promise.all(visitors.map(async (visitor) => (await user(visitor))?.email))).toEqual([
      undefined,
      person.email,
      person.email,
    ])
    const before = (await visitors[2]!.get('/get-session')).body.session.token
    await signInAt(provider, visitors[2]!, person)
    expect((await service.visitor().get('/get-session', { authorization: `Bearer ${before}` })).body).toBeNull()
  })

  it('is new only where the settings and the application allow it', async () => {
    const asked = await service.sibling({ GOOGLE_DISABLE_IMPLICIT_SIGN_UP: 'on' })
    const send = (body: object) =>
      signInAt(provider, asked.visitor(), personAt(), { errorCallbackURL: '/no', ...body }).then(locationOf)
    expect([await send({}), await send({ requestSignUp: true })]).toEqual(['/no?error=signup_disabled', '/home'])
    // One Tap never asks for a new user.
    expect(await ways['one tap']!(asked, personAt().email!, true)).toBe('User not found')
  })
})

describe('a password that is reset by mail', () => {
  const newPassword = 'another horse battery staple'
  const reset = async (email: string) => {
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    expect(await canSignIn(service, email, newPassword)).toBe(true)
  }
  const entersBy = async (fields: object, id = 'acme') => {
    const visitor = service.visitor()
    await signInAt(provider, visitor, personAt(fields), { provider: id })
    return (await visitor.get('/get-session')).body !== null
  }

  it.each([true, false])(
    'leaves no way in at a provider that proves nothing, where it states the address as verified: %s',
    async (is) => {
      const { sub, email } = personAt()
      const eve = { sub, email, email_verified: is }
      expect(await entersBy(eve)).toBe(true)
      await reset(email ?? '')
      expect(await entersBy(eve)).toBe(false)
    },
  )

  it('leaves the accounts of whoever had proven the address', async () => {
    const { sub, email } = personAt()
    const ann = { sub, email }
    expect(await entersBy(ann, 'google')).toBe(true)
    await reset(email ?? '')
    expect(await entersBy(ann, 'google')).toBe(true)
  })
})

it('by an id token that we handed out is refused: an old session would become a fresh one', async () => {
  const ann = await linkedPerson(service, provider)
  for (const path of ['/get-access-token', '/refresh-token', '/get-access-token']) {
    const { status, body } = await ann.post(path, { providerId: 'google' })
    expect([status, typeof body.idToken]).toEqual([200, 'string'])
    const reply = await service
      .visitor()
      .post('/sign-in/social', { provider: 'google', idToken: { token: body.idToken } })
    expect([reply.status, reply.setCookies]).toEqual([401, []])
  }
})

it('whom the sign-in itself verifies is verified in its answer', async () => {
  const answered = async (claims: Record<string, unknown>) => {
    const idToken = { token: await idTokenOf(provider, claims) }
    return (await service.visitor().post('/sign-in/social', { provider: 'google', idToken })).body.user.emailVerified
  }
  expect(await answered({ email: (await service.person()).email })).toBe(true)
  const known = personAt()
  expect(await answered({ ...known, email_verified: false })).toBe(false)
  expect(await answered({ ...known })).toBe(true)
})
