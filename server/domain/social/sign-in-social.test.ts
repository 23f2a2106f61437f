import { describe, expect, it } from 'vitest'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { callbackOf, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

describe('a sign-in at a provider', () => {
  it('makes a user at the first time, and knows them at the second', async () => {
    const ann = personAt({ picture: 'https://example.com/ann.png' })
    const first = service.visitor()
    const created = await signInAt(provider, first, ann, { newUserCallbackURL: '/welcome' })
    expect([created.status, locationOf(created)]).toEqual([302, '/welcome'])
    const { user } = (await first.get('/get-session')).body
    expect(user).toMatchObject({
      email: ann.email,
      emailVerified: true,
      name: 'Ann',
      image: 'https://example.com/ann.png',
    })
    const second = service.visitor()
    const known = await signInAt(provider, second, ann, { newUserCallbackURL: '/welcome' })
    expect([known.status, locationOf(known)]).toEqual([302, '/home'])
    expect((await second.get('/get-session')).body.user.id).toBe(user.id)
    expect((await second.get('/list-accounts')).body).toEqual([
      {
        id: expect.any(String),
        provider: 'google',
        providerId: 'google',
        userId: user.id,
        accountId: ann.sub,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        scopes: ['email', 'openid', 'profile'],
      },
    ])
  })

  it('takes one statement to begin, and three to end for a known user', async () => {
    const ann = personAt()
    const visitor = service.visitor()
    await signInAt(provider, visitor, ann)
    const another = service.visitor()
    service.statements.forget()
    const begun = await another.post('/sign-in/social', { provider: 'google' })
    expect(service.statements.list).toHaveLength(1)
    const back = callbackOf(await provider.visit(begun.body.url, ann))
    service.statements.forget()
    expect((await another.get(back)).status).toBe(302)
    expect(service.statements.list).toHaveLength(3)
  })
})
