import { expect, it } from 'vitest'
import { startOpenIdProvider } from '../testing/openid-provider.ts'
import { testPassword } from '../testing/service.ts'
import { idTokenOf, personAt, signInAt } from '../testing/social.ts'
import { useStarted, useTestService } from '../testing/use-service.ts'
import type { Reply } from '../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), LAST_LOGIN_METHOD: 'on' }))

const name = 'better-auth.last_used_login_method'
const methodIn = ({ setCookies }: Reply) => setCookies.filter((line) => line.startsWith(name))
const line = (method: string) => [`${name}=${method}; Max-Age=2592000; Path=/; SameSite=Lax`]
const account = () => ({ name: 'Ann', email: `ann-${crypto.randomUUID()}@example.com`, password: testPassword })

it('is told by each way in, where the page can read it', async () => {
  const ann = account()
  expect(methodIn(await service.visitor().post('/sign-up/email', ann))).toEqual(line('email'))
  expect(methodIn(await service.visitor().post('/sign-in/email', ann))).toEqual(line('email'))
  expect(methodIn(await signInAt(provider, service.visitor(), personAt()))).toEqual(line('google'))
  const idToken = { token: await idTokenOf(provider) }
  const direct = await service.visitor().post('/sign-in/social', { provider: 'google', idToken })
  expect(methodIn(direct)).toEqual(line('google'))
  const tapper = service.visitor()
  const tapped = await tapper.post('/one-tap/callback', { idToken: await idTokenOf(provider) })
  expect([methodIn(tapped), (await tapper.get('/get-session')).body]).toEqual([line('google'), expect.anything()])
})

it('is not told by a refusal, and stays when somebody signs out', async () => {
  const ann = account()
  const visitor = service.visitor()
  expect(methodIn(await visitor.post('/sign-in/email', ann))).toEqual([])
  await visitor.post('/sign-up/email', ann)
  expect(methodIn(await visitor.post('/sign-out'))).toEqual([])
  expect(visitor.cookies.get(name)).toBe('email')
})

it('is not told unless the setting says so', async () => {
  const off = await service.sibling({ LAST_LOGIN_METHOD: 'off' })
  expect(methodIn(await off.visitor().post('/sign-up/email', account()))).toEqual([])
})

it('has no prefix, and the other attributes of the session', async () => {
  const secure = await service.sibling({ BASE_URL: 'https://id.example.com', COOKIE_SAME_SITE: 'none' })
  expect(methodIn(await secure.visitor().post('/sign-up/email', account()))).toEqual([
    `${name}=email; Max-Age=2592000; Path=/; Secure; SameSite=None; Partitioned`,
  ])
})
