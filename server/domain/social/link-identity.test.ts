import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailsTo } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { ageSessions } from '../../testing/rows.ts'
import { createTestService, serviceOn, type TestService } from '../../testing/service.ts'
import { callbackOf, linkAt, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

let service: TestService
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  const providers = { ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME') }
  service = await createTestService({ ...providers, ALLOW_DIFFERENT_EMAILS: 'on' })
})
afterAll(() => service.stop())

const twoDays = 2 * 86_400
const refusing = { errorCallbackURL: '/no' }
const tooOld = '/no?error=session_is_not_fresh'
const notLinked = '/no?error=unable_to_link_account'
const accountsOf = async (visitor: Visitor): Promise<string[]> =>
  (await visitor.get('/list-accounts')).body.map((account: { provider: string }) => account.provider)

/** Somebody whose session is stale, and who has verified the address unless that is said. */
async function stale({ isVerified = true } = {}) {
  const ann = await service.person()
  if (isVerified) await proveAddress(service.deps.sql, ann.email)
  await ageSessions(service, ann.email, twoDays)
  return ann
}

describe('a stale session', () => {
  it('links nobody else’s account, which then would make a key for a year', async () => {
    const [ann, thief] = [await stale(), personAt()]
    const key = await ann.post('/key/create', { name: 'ci', expiresIn: 365 * 86_400 })
    expect([key.status, key.body.code]).toEqual([403, 'SESSION_IS_NOT_FRESH'])
    const deleted = await ann.post('/delete-user', {})
    expect([deleted.status, deleted.body.code]).toEqual([400, 'SESSION_EXPIRED_REAUTHENTICATE_TO_PERFORM_THIS_ACTION'])
    expect(locationOf(await linkAt(provider, ann, thief, refusing))).toBe(tooOld)
    expect([await accountsOf(ann), await mailsTo(service, ann.email)]).toEqual([['credential'], []])
    const browser = service.visitor()
    await signInAt(provider, browser, thief)
    expect((await browser.get('/get-session')).body.user.email).toBe(thief.email)
  })

  it('links the account by which a trusted provider proves the very address of its user, proven before or not', async () => {
    for (const isVerified of [true, false]) {
      const ann = await stale({ isVerified })
      expect(locationOf(await linkAt(provider, ann, personAt({ email: ann.email })))).toBe('/linked')
      expect(await accountsOf(ann)).toEqual(['credential', 'google'])
      const { session, user } = (await ann.get('/get-session')).body
      expect([session.addressProven, user.emailVerified]).toEqual([true, true])
    }
  })

  it('links none of a provider that anybody may run, whatever it states', async () => {
    const ann = await stale()
    const eve = personAt({ email: ann.email })
    expect(locationOf(await linkAt(provider, ann, eve, { provider: 'acme', ...refusing }))).toBe(tooOld)
    expect(await accountsOf(ann)).toEqual(['credential'])
  })

  it('brings new tokens of an account that is linked already: that is no new way in', async () => {
    const [ann, person] = [await service.person(), personAt()]
    await linkAt(provider, ann, person)
    await ageSessions(service, ann.email, twoDays)
    expect(locationOf(await linkAt(provider, ann, person, refusing))).toBe('/linked')
  })

  it('that was fresh when the link was begun is stale all the same', async () => {
    const ann = await service.person()
    const { body } = await ann.post('/link-social', { provider: 'google', callbackURL: '/linked', ...refusing })
    const back = callbackOf(await provider.visit(body.url, personAt()))
    await ageSessions(service, ann.email, twoDays)
    expect(locationOf(await ann.get(back))).toBe(tooOld)
  })

  it('is told on the page what to do, and links after a new sign-in', async () => {
    const [ann, person] = [await stale(), personAt()]
    await linkAt(provider, ann, person, refusing)
    expect((await ann.get('/error?error=session_is_not_fresh')).text).toContain('Sign in again where you began')
    await ann.post('/sign-in/email', { email: ann.email, password: 'correct horse battery staple' })
    expect(locationOf(await linkAt(provider, ann, person, refusing))).toBe('/linked')
  })
})

it('an address that a provider does not vouch for links nothing, trusted or not, fresh or stale', async () => {
  const trusting = await service.sibling({ TRUSTED_PROVIDERS: 'google,acme' })
  for (const at of [service, trusting])
    for (const id of ['google', 'acme'])
      for (const seconds of [0, twoDays]) {
        const ann = await at.person()
        await proveAddress(service.deps.sql, ann.email)
        await ageSessions(service, ann.email, seconds)
        const person = personAt({ email: ann.email, email_verified: false })
        expect(locationOf(await linkAt(provider, ann, person, { provider: id, ...refusing }))).toBe(notLinked)
        expect(await accountsOf(ann)).toEqual(['credential'])
      }
})

it('whoever did too much comes back to a page that says when to return', async () => {
  const settings = { ...provider.settings('GOOGLE'), ALLOW_DIFFERENT_EMAILS: 'on', RATE_LIMIT: 'on' }
  const at = await serviceOn(service.database, settings, { limits: { acts: { max: 2 } } })
  const ann = await at.person()
  for (const slug of ['a', 'b']) await ann.post('/organization/create', { name: slug, slug: `${slug}-${Date.now()}` })
  const { status, headers } = await linkAt(provider, ann, personAt(), refusing)
  expect([status, Number(headers.get('retry-after')) > 0, await accountsOf(ann)]).toEqual([429, true, ['credential']])
  await at.stop()
})
