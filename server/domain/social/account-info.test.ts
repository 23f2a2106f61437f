import { describe, expect, it } from 'vitest'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { serverHeaders } from '../../testing/organizations.ts'
import { ageSessions } from '../../testing/rows.ts'
import { idTokenOf, linkedPerson, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Json, Visitor } from '../../testing/visitor.ts'
import { sealTokens } from './seal-tokens.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME') }))

const accounts = async (visitor: Visitor): Promise<Json[]> => (await visitor.get('/list-accounts')).body
const rowAt = async (visitor: Visitor, at: string): Promise<Json> =>
  (await accounts(visitor)).find((account) => account.provider === at)
const info = (visitor: Visitor, query: Record<string, string>, headers = {}) =>
  visitor.get(`/account-info?${new URLSearchParams(query).toString()}`, headers)

describe('the profile of an account', () => {
  it('is what the provider says of its user, beside the account', async () => {
    const visitor = service.visitor()
    const ann = personAt()
    await signInAt(provider, visitor, ann, { provider: 'acme' })
    const row = await rowAt(visitor, 'acme')
    const { status, body } = await info(visitor, { accountId: row.id })
    expect([status, body]).toEqual([
      200,
      {
        user: { id: ann.sub, name: 'Ann', email: ann.email, image: null, emailVerified: true },
        data: expect.objectContaining({ sub: ann.sub, email: ann.email }),
        account: { id: row.id, providerId: 'acme', accountId: ann.sub },
      },
    ])
    expect((await info(visitor, { providerId: 'acme' })).body).toEqual(body)
    expect(JSON.stringify(body)).not.toContain('access_token')
  })

  it('is refused, and no fault of ours, when nothing but an opaque id token says who it is', async () => {
    const ann = service.visitor()
    await signInAt(provider, ann, personAt(), { provider: 'acme' })
    const { id } = await rowAt(ann, 'acme')
    const { idToken } = sealTokens(service.deps, id, { idToken: 'opaque' })
    await service.deps.sql`update accounts set id_token = ${idToken} where id = ${id}`
    expect(await info(ann, { accountId: id })).toMatchObject({ status: 401, body: { code: 'FAILED_TO_GET_USER_INFO' } })
  })

  it('is nobody else’s: an account of another user is not found, but a trusted server may ask', async () => {
    const [ann, bob] = [await linkedPerson(service, provider), await service.person()]
    const { id, userId } = await rowAt(ann, 'google')
    expect(await info(bob, { accountId: id })).toMatchObject({ status: 400, body: { code: 'ACCOUNT_NOT_FOUND' } })
    expect((await info(bob, { accountId: id, userId })).status).toBe(400)
    expect((await info(service.visitor(), { accountId: id, userId })).status).toBe(401)
    expect((await info(service.visitor(), { accountId: id, userId }, serverHeaders)).body.account.id).toBe(id)
  })
})

it.each(['/get-access-token', '/refresh-token'])(
  '%s tells that there is no account before anything else',
  async (path) => {
    const ann = await service.person()
    for (const providerId of ['google', 'github'])
      expect((await ann.post(path, { providerId })).body.message).toBe('Account not found')
    expect((await ann.post(path, { providerId: 'no-such-provider' })).body.message).toContain('no-such-provider')
  },
)

describe('a link by an id token', () => {
  const link = (visitor: Visitor, token: string) =>
    visitor.post('/link-social', { provider: 'google', idToken: { token, accessToken: 'given' } })

  it('is made at once for the very address of the user, and only once', async () => {
    const ann = await service.person()
    const token = await idTokenOf(provider, { email: ann.email })
    expect(await link(ann, token)).toMatchObject({ status: 200, body: { url: '', redirect: false, status: true } })
    expect((await accounts(ann)).map((account) => account.provider)).toEqual(['credential', 'google'])
    const again = await link(ann, token)
    expect([again.status, again.body.code]).toEqual([401, 'INVALID_TOKEN'])
    const signIn = await service.visitor().post('/sign-in/social', { provider: 'google', idToken: { token } })
    expect([signIn.status, signIn.body.code]).toEqual([401, 'INVALID_TOKEN'])
  })

  it('takes the token that it uses, also from two who come at once', async () => {
    const ann = await service.person()
    const token = await idTokenOf(provider, { email: ann.email })
    const replies = await Promise.all([link(ann, token), link(ann, token)])
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    // By whether the token or the account is there first.
    const refused = replies.find(({ status }) => status === 401)
    expect(['INVALID_TOKEN', 'UNABLE_TO_LINK_ACCOUNT']).toContain(refused?.body.code)
    expect(await accounts(ann)).toHaveLength(2)
  })

  it.each(['accessToken', 'refreshToken'])('refuses an %s that no header can contain', async (name) => {
    const ann = await service.person()
    const idToken = { token: await idTokenOf(provider, { email: ann.email }), [name]: 'x\ny' }
    expect((await ann.post('/link-social', { provider: 'google', idToken })).status).toBe(400)
    expect(await accounts(ann)).toHaveLength(1)
  })

  it('refuses the address of somebody else, and a stale session', async () => {
    const ann = await service.person()
    const foreign = await link(ann, await idTokenOf(provider))
    expect([foreign.status, foreign.body.code]).toEqual([401, 'UNABLE_TO_LINK_ACCOUNT'])
    const open = await service.sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
    const bob = await open.person()
    await ageSessions(open, bob.email, 2 * 86_400)
    const stale = await link(bob, await idTokenOf(provider))
    expect([stale.status, stale.body.code]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
    expect([(await accounts(ann)).length, (await accounts(bob)).length]).toEqual([1, 1])
  })
})

it('the start of a link leads nowhere by itself when the application wants so', async () => {
  const ann = await service.person()
  const { body } = await ann.post('/link-social', { provider: 'google', disableRedirect: true, loginHint: 'a@b.co' })
  expect([body.redirect, new URL(body.url).searchParams.get('login_hint')]).toEqual([false, 'a@b.co'])
})
