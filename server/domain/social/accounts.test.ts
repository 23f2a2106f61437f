import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Environment } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import { mailsTo } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { callbackOf, linkAt, linkedPerson, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME') }))

const accountsOf = async (visitor: Visitor): Promise<string[]> =>
  (await visitor.get('/list-accounts')).body.map((account: { provider: string }) => account.provider)
/** What the mails about accounts say. */
const toldOf = async (email: string): Promise<string[]> =>
  (await mailsTo(service, email)).flatMap(({ text }) => /^.* signs you in to your account\.$/m.exec(text)?.[0] ?? [])
const refusing = { errorCallbackURL: '/no' }

describe('linking', () => {
  it('adds a way in, and keeps its tokens encrypted', async () => {
    const ann = await linkedPerson(service, provider)
    expect(await accountsOf(ann)).toEqual(['credential', 'google'])
    expect(await toldOf(ann.email)).toEqual(['Google now signs you in to your account.'])
    const { sql } = service.deps
    const [row] = await sql<{ all: string }[]>`
      select row_to_json(a)::text as all from accounts a join users u on u.id = a.user_id
      where u.email = ${ann.email} and a.provider_id = 'google'
    `
    const { body } = await ann.post('/get-access-token', { providerId: 'google' })
    expect(body).toEqual({
      accessToken: expect.any(String),
      accessTokenExpiresAt: expect.any(String),
      scopes: ['email', 'openid', 'profile'],
      idToken: expect.stringMatching(/^ey/),
    })
    for (const secret of [body.accessToken, body.idToken]) {
      expect(row?.all).not.toContain(secret)
      expect(row?.all).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  it('of the same identity again only brings new tokens', async () => {
    const ann = await service.person()
    const person = personAt({ email: ann.email })
    await linkAt(provider, ann, person)
    const before = await ann.post('/get-access-token', { providerId: 'google' })
    expect(locationOf(await linkAt(provider, ann, person))).toBe('/linked')
    const after = await ann.post('/get-access-token', { providerId: 'google' })
    expect([await accountsOf(ann), after.body.accessToken === before.body.accessToken]).toEqual([
      ['credential', 'google'],
      false,
    ])
  })

  it('is refused for an identity that somebody else has', async () => {
    const person = personAt()
    await signInAt(provider, service.visitor(), person)
    const eve = await service.person()
    expect(locationOf(await linkAt(provider, eve, person, refusing))).toBe(
      '/no?error=account_already_linked_to_different_user',
    )
    expect(await accountsOf(eve)).toEqual(['credential'])
  })

  it('is for the session that began: nobody else ends it, signed in or not', async () => {
    const [ann, eve] = [await service.person(), await service.person()]
    const person = personAt({ email: ann.email })
    const begin = async () => {
      const { body } = await ann.post('/link-social', { provider: 'google', ...refusing })
      return callbackOf(await provider.visit(body.url, person))
    }
    const states = () => [...ann.cookies].filter(([name]) => name.includes('.state.')).map((pair) => pair.join('='))
    const sessionOf = (visitor: Visitor) => `postern.session_token=${visitor.cookies.get('postern.session_token')}`
    const ways: (string | null)[] = [null, sessionOf(eve), sessionOf(await again(ann.email))]
    for (const session of ways) {
      const back = await begin()
      const cookie = [...states(), ...(session ? [session] : [])].join('; ')
      const reply = await service.visitor().get(back, { cookie })
      expect(locationOf(reply)).toBe('/no?error=unable_to_link_account')
    }
    expect([await accountsOf(ann), await accountsOf(eve)]).toEqual([['credential'], ['credential']])
  })

  it('is not for an administrator who acts as the user, not of a known identity either', async () => {
    const ann = await service.person()
    const person = personAt({ email: ann.email })
    const actAs = (id: string | null) => service.deps.sql`
      update sessions set impersonated_by = ${id} where user_id = (select id from users where email = ${ann.email})
    `
    const begin = () => ann.post('/link-social', { provider: 'google', callbackURL: '/linked', ...refusing })
    const comeBack = async (url: string) => locationOf(await ann.get(callbackOf(await provider.visit(url, person))))
    const refused = { status: 403, body: { code: 'NOT_ALLOWED_WHILE_IMPERSONATING' } }
    const begun = [await begin(), await begin()].map(({ body }) => body.url)
    await actAs('an-administrator')
    expect(await begin()).toMatchObject(refused)
    expect(await comeBack(begun[0])).toBe('/no?error=unable_to_link_account')
    expect(await accountsOf(ann)).toEqual(['credential'])
    await actAs(null)
    expect(locationOf(await linkAt(provider, ann, person, refusing))).toBe('/linked')
    await actAs('an-administrator')
    expect(await comeBack(begun[1])).toBe('/no?error=unable_to_link_account')
  })

  it('needs a provider that vouches for the address, and the same one', async () => {
    const link = async (settings: Record<string, string>, fields: object, id = 'google') => {
      const at = await service.sibling(settings)
      const ann = await at.person()
      const person = personAt({ email: ann.email, ...fields })
      return locationOf(await linkAt(provider, ann, person, { provider: id, ...refusing }))
    }
    const refused = '/no?error=unable_to_link_account'
    expect(await link({ ACCOUNT_LINKING: 'off' }, {})).toBe(refused)
    expect(await link({}, { email: 'other@example.com' })).toBe(refused)
    expect(await link({}, { email_verified: false }, 'acme')).toBe(refused)
    expect(await link({}, { email_verified: true }, 'acme')).toBe('/linked')
    expect(await link({ TRUSTED_PROVIDERS: 'acme' }, { email_verified: false }, 'acme')).toBe(refused)
    expect(await link({ ALLOW_DIFFERENT_EMAILS: 'on' }, { email: 'else@example.com' })).toBe('/linked')
  })

  it('of one identity by two users at once succeeds for one', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const free = await service.sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
    const person = personAt()
    const backs = await Promise.all(
      [ann, bob].map(async (visitor) => {
        const { body } = await visitor.post('/link-social', { provider: 'google', ...refusing, callbackURL: '/linked' })
        return callbackOf(await provider.visit(body.url, person))
      }),
    )
    const replies = await Promise.all(
      [ann, bob].map((visitor, index) => {
        const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
        return free.visitor().get(backs[index]!, { cookie })
      }),
    )
    expect(replies.map(locationOf).toSorted()).toEqual([
      '/linked',
      '/no?error=account_already_linked_to_different_user',
    ])
  })

  async function again(email: string): Promise<Visitor> {
    const visitor = service.visitor()
    await visitor.post('/sign-in/email', { email, password: 'correct horse battery staple' })
    return visitor
  }
})

describe('unlinking', () => {
  it('takes the named account away, and no other', async () => {
    const ann = await linkedPerson(service, provider)
    expect((await ann.post('/unlink-account', { providerId: 'google', accountId: 'other' })).status).toBe(400)
    const { body: accounts } = await ann.get('/list-accounts')
    const { id: accountId } = accounts.find((account: { provider: string }) => account.provider === 'google')
    expect((await ann.post('/unlink-account', { accountId })).body).toEqual({ status: true })
    expect(await accountsOf(ann)).toEqual(['credential'])
    expect((await toldOf(ann.email)).at(-1)).toBe('Google no longer signs you in to your account.')
  })

  it('takes the last one only where the settings allow it', async () => {
    const ann = await service.person()
    const free = await service.sibling({ ALLOW_UNLINKING_ALL: 'on' })
    const headers = { cookie: [...ann.cookies].map((pair) => pair.join('=')).join('; ') }
    expect((await ann.post('/unlink-account', { providerId: 'google' })).body.code).toBe(
      'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT',
    )
    expect((await ann.post('/update-user', { language: 'de' })).status).toBe(200)
    expect((await free.visitor().post('/unlink-account', { providerId: 'credential' }, headers)).status).toBe(200)
    expect(await accountsOf(ann)).toEqual([])
    const [mail] = await mailsTo(service, ann.email, 'account-unlinked')
    expect(mail?.text).toContain('Ihr Passwort meldet Sie nicht mehr in Ihrem Konto an.')
  })

  it.each<[string, Environment, string, string]>([
    ['a password where passwords sign nobody in', { EMAIL_PASSWORD: 'off' }, 'google', 'credential'],
    ['a provider that the settings do not name', {}, 'credential', 'github'],
  ])('takes none that is the last one to sign in with: %s does not', async (_name, settings, last, other) => {
    const ann = await service.person()
    const own = (await service.sibling(settings)).copyOf(ann)
    const linked = [last, other].find((id) => id !== 'credential') ?? ''
    await service.deps.sql`
      insert into accounts (id, user_id, provider_id, account_id)
      select ${linked} || id, id, ${linked}, id from users where email = ${ann.email}
    `
    expect((await own.post('/unlink-account', { providerId: last })).body.code).toBe(
      'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT',
    )
    expect((await own.post('/unlink-account', { providerId: other })).status).toBe(200)
    expect(await accountsOf(ann)).toEqual([last])
  })

  it('of both accounts at once leaves one', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ann = await linkedPerson(service, provider)
      const [one, other] = ['google', 'credential'].map((providerId) => ann.post('/unlink-account', { providerId }))
      const statuses = [(await one!).status, (await other!).status]
      expect([new Set(statuses), (await accountsOf(ann)).length]).toEqual([new Set([200, 400]), 1])
    }
  })
})

describe('the tokens of an account', () => {
  const stored = (email: string) => service.deps.sql<{ id: string; version: number; scope: string }[]>`
    select a.id, a.tokens_version as version, a.scope from accounts a join users u on u.id = a.user_id
    where u.email = ${email} and a.provider_id = 'google'
  `

  const lastOfEach = (sql: Sql, connections: number) =>
    Array.from({ length: connections }, async () => sql`select pg_sleep(0.05)`)

  it('are refreshed once for all who ask at the same time', async () => {
    const ann = await linkedPerson(service, provider)
    const others = await service.sibling()
    const headers = { cookie: [...ann.cookies].map((pair) => pair.join('=')).join('; ') }
    const asked = () => provider.requests.filter((path) => path === '/token').length
    const before = asked()
    // The provider answers when everybody has asked: who comes later would rightly ask it again.
    const all = 20
    service.statements.forget()
    others.statements.forget()
    const claims = () =>
      [...service.statements.list, ...others.statements.list].filter((text) => text.includes('claimed as')).length
    provider.before.tokens = async () => {
      await expect.poll(claims).toBe(all)
      // All are sent; they are answered when each connection has answered something that was sent after them.
      await Promise.all([service, others].flatMap(({ deps: { sql, config } }) => lastOfEach(sql, config.DATABASE_POOL)))
    }
    const replies = await Promise.all(
      Array.from({ length: all }, (_, index) =>
        (index % 2 ? service : others).visitor().post('/refresh-token', { providerId: 'google' }, headers),
      ),
    )
    provider.before.tokens = () => undefined
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: all }, () => 200))
    expect([new Set(replies.map(({ text }) => text)).size, asked() - before]).toEqual([1, 1])
  })

  it('hold no connection of the database while the provider is asked', async () => {
    const ann = await linkedPerson(service, provider)
    const narrow = await service.sibling({ DATABASE_POOL: '1' })
    const headers = { cookie: [...ann.cookies].map((pair) => pair.join('=')).join('; ') }
    provider.before.tokens = async () => {
      expect((await narrow.visitor().get('/get-session', headers)).body.user.email).toBe(ann.email)
    }
    const reply = await narrow.visitor().post('/refresh-token', { providerId: 'google' }, headers)
    provider.before.tokens = () => undefined
    expect(reply.status).toBe(200)
  })

  it('keep a refresh token that the provider does not give again, and gather scopes', async () => {
    const ann = await linkedPerson(service, provider)
    const first = await ann.post('/refresh-token', { providerId: 'google' })
    await linkAt(
      provider,
      ann,
      personAt({ sub: (await ann.get('/list-accounts')).body[1].accountId, email: ann.email }),
      {
        scopes: ['calendar'],
      },
    )
    const [row] = await stored(ann.email)
    expect([first.status, row?.scope]).toEqual([200, 'calendar,email,openid,profile'])
  })

  it('do not open in another row, in another column, or without their secret', async () => {
    const [ann, bob] = [await linkedPerson(service, provider), await linkedPerson(service, provider)]
    const { sql } = service.deps
    const [[mine], [theirs]] = [await stored(ann.email), await stored(bob.email)]
    await sql`
      update accounts set access_token = (select access_token from accounts where id = ${theirs!.id}) where id = ${mine!.id}
    `
    expect((await ann.post('/get-access-token', { providerId: 'google' })).body.message).toBe(
      'Failed to get a valid access token',
    )
    await sql`update accounts set access_token = id_token where id = ${theirs!.id}`
    expect((await bob.post('/get-access-token', { providerId: 'google' })).status).toBe(400)
  })

  it('open as long as the secret that sealed them is among the secrets', async () => {
    const ann = await linkedPerson(service, provider)
    const secret = service.deps.config.SECRETS[0] ?? ''
    const newer = 'Zq8Xw2Vn5Kt1Rb7Jm4Hc9Gf3Ds6La0Pe'
    const rotated = await service.sibling({ SECRETS: `${newer},${secret}` })
    const headers = { cookie: [...ann.cookies].map((pair) => pair.join('=')).join('; ') }
    const { body } = await rotated.visitor().post('/refresh-token', { providerId: 'google' }, headers)
    const again = await rotated.visitor().post('/get-access-token', { providerId: 'google' }, headers)
    expect(again.body.accessToken).toMatch(/./)
    expect(body.accessToken).toBe(again.body.accessToken)
    // Sealed anew by now: the old secret alone does not open it.
    expect((await ann.post('/get-access-token', { providerId: 'google' })).status).toBe(400)
  })

  it('are of nobody else, whatever a caller says', async () => {
    const [ann, eve] = [await linkedPerson(service, provider), await service.person()]
    const { body } = await ann.get('/get-session')
    const [row] = await stored(ann.email)
    for (const path of ['/refresh-token', '/get-access-token'])
      for (const more of [
        { userId: body.user.id },
        { accountId: row!.id },
        { userId: body.user.id, accountId: row!.id },
      ]) {
        const reply = await eve.post(path, { providerId: 'google', ...more })
        expect([reply.status, reply.body.message]).toEqual([400, 'Account not found'])
        expect((await service.visitor().post(path, { providerId: 'google', ...more })).status).toBe(401)
      }
  })

  it('are refreshed before they end, and only then', async () => {
    const ann = await linkedPerson(service, provider)
    const first = (await ann.post('/get-access-token', { providerId: 'google' })).body.accessToken
    expect((await ann.post('/get-access-token', { providerId: 'google' })).body.accessToken).toBe(first)
    const [row] = await stored(ann.email)
    await service.deps
      .sql`update accounts set access_token_expires_at = now() + interval '4 seconds' where id = ${row!.id}`
    const next = (await ann.post('/get-access-token', { providerId: 'google' })).body.accessToken
    expect([typeof next, next === first]).toEqual(['string', false])
  })

  it('that a sign-in brings meanwhile can be refreshed at once, and are not lost', async () => {
    const ann = await linkedPerson(service, provider)
    const person = personAt({ sub: (await ann.get('/list-accounts')).body[1].accountId, email: ann.email })
    const refresh = () => ann.post('/refresh-token', { providerId: 'google' })
    const replies: number[] = []
    provider.before.tokens = async () => {
      provider.before.tokens = () => undefined
      await signInAt(provider, service.visitor(), person)
      replies.push((await refresh()).status)
    }
    replies.push((await refresh()).status)
    expect(replies).toEqual([200, 200])
  })

  it('are stored through a short outage of the database, because the provider gives them only once', async () => {
    const ann = await linkedPerson(service, provider)
    const { sql } = service.deps
    await sql`create sequence refusals`
    await sql`
      create function refuse_twice() returns trigger language plpgsql as $$
      begin
        if new.access_token is distinct from old.access_token then
          case nextval('refusals')
            when 1 then raise exception 'locked' using errcode = 'lock_not_available';
            when 2 then perform pg_terminate_backend(pg_backend_pid());
            else null;
          end case;
        end if;
        return new;
      end $$
    `
    await sql`create trigger refuses before update on accounts for each row execute function refuse_twice()`
    const reply = await ann.post('/refresh-token', { providerId: 'google' })
    await sql`drop trigger refuses on accounts`
    expect([reply.status, (await sql`select from refusals where last_value = 3`).length]).toEqual([200, 1])
    const { body } = await ann.post('/get-access-token', { providerId: 'google' })
    expect(body.accessToken).toBe(reply.body.accessToken)
  })

  it('are free again when a refresh failed, or its process died', async () => {
    const ann = await linkedPerson(service, provider)
    const [row] = await stored(ann.email)
    const away = await service.sibling({ GOOGLE_TOKEN_URL: 'http://127.0.0.1:1/token' })
    const headers = { cookie: [...ann.cookies].map((pair) => pair.join('=')).join('; ') }
    expect((await away.visitor().post('/refresh-token', { providerId: 'google' }, headers)).status).toBe(400)
    expect((await ann.post('/refresh-token', { providerId: 'google' })).status).toBe(200)
    await service.deps.sql`update accounts set refreshing_until = now() - interval '1 second' where id = ${row!.id}`
    expect((await ann.post('/refresh-token', { providerId: 'google' })).status).toBe(200)
  })

  it('are free when their process died before the clock of the database was set back', async () => {
    const ann = await linkedPerson(service, provider)
    const [row] = await stored(ann.email)
    await service.deps.sql`update accounts set refreshing_until = now() + interval '2 minutes' where id = ${row!.id}`
    expect((await ann.post('/refresh-token', { providerId: 'google' })).status).toBe(200)
  })

  it('stay as they were when the provider answers with an id token of somebody else', async () => {
    const ann = await linkedPerson(service, provider)
    const [row] = await stored(ann.email)
    const kept = () => service.deps.sql`
      select access_token, refresh_token, id_token, tokens_version, refreshing_until from accounts where id = ${row!.id}
    `
    await service.deps.sql`update accounts set account_id = 'another-' || account_id where id = ${row!.id}`
    const before = await kept()
    const reply = await ann.post('/refresh-token', { providerId: 'google' })
    expect([reply.status, reply.body.code]).toEqual([400, 'FAILED_TO_REFRESH_ACCESS_TOKEN'])
    expect([...(await kept())]).toEqual([...before])
  })

  it('are waited for only as long as a provider may take', async () => {
    const ann = await linkedPerson(service, provider)
    const [row] = await stored(ann.email)
    await service.deps.sql`update accounts set refreshing_until = now() + interval '45 seconds' where id = ${row!.id}`
    const pauses = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined)
    syncBuiltinESMExports()
    const reply = await ann.post('/refresh-token', { providerId: 'google' })
    pauses.mockRestore()
    syncBuiltinESMExports()
    expect([reply.status, reply.body.code]).toEqual([400, 'FAILED_TO_REFRESH_ACCESS_TOKEN'])
  })

  it('are free again when a sign-in replaced them while somebody refreshed the old ones', async () => {
    const ann = await linkedPerson(service, provider)
    const [row] = await stored(ann.email)
    const [, { accountId }] = (await ann.get('/list-accounts')).body
    await service.deps.sql`update accounts set refreshing_until = now() + interval '45 seconds' where id = ${row!.id}`
    await linkAt(provider, ann, personAt({ sub: accountId, email: ann.email }))
    expect((await ann.post('/refresh-token', { providerId: 'google' })).status).toBe(200)
  })
})
