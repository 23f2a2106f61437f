import type { FailureName } from '../../shared/errors.ts'
import { createApp } from '../app.ts'
import { createProviders } from '../providers/create-providers.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { serverHeaders } from './organizations.ts'
import { proveAddress } from './prove-address.ts'
import { ageSessions } from './rows.ts'
import type { TestService } from './service.ts'
import { idTokenOf, linkedPerson, personAt, whileNothingIsKept } from './social.ts'
import { createVisitor, type Reply, type Visitor } from './visitor.ts'

type Ways = Partial<Record<FailureName, () => Promise<Reply>>>
type Send = (service: TestService, token: string) => Promise<Reply>

/** How each failure of the calls about providers is reached. The service has the provider as its google and its github. */
export function socialWays(service: () => TestService, provider: () => OpenIdProvider): Record<string, Ways> {
  const sign = (claims: Record<string, unknown> = {}) => idTokenOf(provider(), claims)
  const signedIn: Send = (at, token) => at.visitor().post('/sign-in/social', { provider: 'google', idToken: { token } })
  const tapped: Send = (at, idToken) => at.visitor().post('/one-tap/callback', { idToken })
  const verified = async () => {
    const { email } = await service().person()
    await proveAddress(service().deps.sql, email)
    return email
  }
  const policy = (send: Send) => ({
    notLinked: async () =>
      send(service(), await sign({ email: (await service().person()).email, email_verified: false })),
    closed: async () => send(await service().sibling({ GOOGLE_DISABLE_SIGN_UP: 'on' }), await sign()),
    notCreated: () => whileNothingIsKept(service(), 'users', async () => send(service(), await sign())),
    noSession: async () => {
      const { sub, email } = personAt()
      await send(service(), await sign({ sub, email }))
      return whileNothingIsKept(service(), 'sessions', async () =>
        send(service(), await sign({ sub, email, jti: 'x' })),
      )
    },
    notVerified: async () =>
      send(await service().sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }), await sign({ email_verified: false })),
    banned: async () => {
      const { sub, email } = personAt()
      await send(service(), await sign({ sub, email }))
      await service().deps.sql`update users set banned = true where email = ${email ?? ''}`
      return send(service(), await sign({ sub, email, jti: 'x' }))
    },
  })
  const social = policy(signedIn)
  const tap = policy(tapped)
  /** Somebody whose only account is at this provider. */
  const personAtAlone = async (providerId: string) => {
    const ann = await service().person()
    await service().deps.sql`
      update accounts set provider_id = ${providerId} where user_id = (select id from users where email = ${ann.email})
    `
    return ann
  }
  const tokens = (path: string): Ways => ({
    USER_OR_SESSION_REQUIRED: () => service().visitor().post(path, { providerId: 'google' }, serverHeaders),
    PROVIDER_NOT_SUPPORTED: async () => (await service().person()).post(path, { providerId: 'credential' }),
    ACCOUNT_NOT_FOUND: async () => (await service().person()).post(path, { providerId: 'google' }),
    PROVIDER_NOT_CONFIGURED: async () => (await personAtAlone('apple')).post(path, { providerId: 'apple' }),
  })
  /** Signed in by an id token alone, which brings no other. */
  const tokenless = async () => {
    const visitor = service().visitor()
    await visitor.post('/sign-in/social', { provider: 'google', idToken: { token: await sign() } })
    return visitor
  }
  return {
    signInSocial: {
      PROVIDER_NOT_FOUND: () => service().visitor().post('/sign-in/social', { provider: 'apple' }),
      ID_TOKEN_NOT_SUPPORTED: () =>
        service()
          .visitor()
          .post('/sign-in/social', { provider: 'github', idToken: { token: 'x' } }),
      ID_TOKEN_INVALID: () => signedIn(service(), 'x'),
      USER_INFO_NOT_READ: async () => signedIn(service(), await sign({ sub: ' ' })),
      USER_EMAIL_NOT_FOUND: async () => signedIn(service(), await sign({ email: undefined })),
      ACCOUNT_NOT_LINKED: social.notLinked,
      ACCOUNT_LINK_FAILED: async () => {
        const email = await verified()
        return whileNothingIsKept(service(), 'accounts', async () => signedIn(service(), await sign({ email })))
      },
      SIGN_UP_DISABLED: social.closed,
      USER_NOT_CREATED: social.notCreated,
      SESSION_NOT_CREATED: social.noSession,
      EMAIL_NOT_VERIFIED: social.notVerified,
      BANNED_USER: social.banned,
    },
    linkSocial: linkSocialWays(service, sign),
    unlinkAccount: {
      SESSION_NOT_FRESH: async () => {
        const visitor = await service().person()
        await ageSessions(service(), visitor.email, 2 * 86_400)
        return visitor.post('/unlink-account', { providerId: 'credential' })
      },
      LAST_ACCOUNT: async () => (await service().person()).post('/unlink-account', { providerId: 'credential' }),
      ACCOUNT_NOT_FOUND: async () =>
        (await linkedPerson(service(), provider())).post('/unlink-account', { providerId: 'github' }),
    },
    accountInfo: {
      USER_OR_SESSION_REQUIRED: () => service().visitor().get('/account-info?providerId=google', serverHeaders),
      ACCOUNT_NOT_FOUND: async () => (await service().person()).get('/account-info?providerId=google'),
      ACCOUNT_WITHOUT_PROVIDER: async () => (await service().person()).get('/account-info?providerId=credential'),
      ACCESS_TOKEN_NOT_VALID: async () => (await tokenless()).get('/account-info?providerId=google'),
      USER_INFO_NOT_READ: async () => {
        const visitor = await linkedPerson(service(), provider())
        await service().deps.sql`
          update accounts set account_id = 'another' || id
          where provider_id = 'google' and user_id = (select id from users where email = ${visitor.email})
        `
        return visitor.get('/account-info?providerId=google')
      },
    },
    refreshToken: {
      ...tokens('/refresh-token'),
      PROVIDER_WITHOUT_REFRESH: async () => {
        const { deps } = service()
        const [one] = deps.config.providers
        const without = { ...one!, provider: { ...one!.provider, refresh: false as const } }
        const app = createApp({ ...deps, providers: createProviders([without], Date.now) })
        const ann = await personAtAlone(one!.provider.id)
        const visitor = createVisitor(app, deps.config)
        for (const [name, value] of ann.cookies) visitor.cookies.set(name, value)
        return visitor.post('/refresh-token', { providerId: one!.provider.id })
      },
      ACCESS_TOKEN_NOT_REFRESHED: async () => (await tokenless()).post('/refresh-token', { providerId: 'google' }),
    },
    getAccessToken: {
      ...tokens('/get-access-token'),
      ACCESS_TOKEN_NOT_VALID: async () => (await tokenless()).post('/get-access-token', { providerId: 'google' }),
    },
    oneTap: {
      PROVIDER_NOT_FOUND: async () => {
        const { deps } = service()
        const app = createApp({ ...deps, providers: createProviders([], Date.now) })
        return createVisitor(app, deps.config).post('/one-tap/callback', { idToken: 'x' })
      },
      ONE_TAP_TOKEN_INVALID: () => tapped(service(), 'x'),
      ONE_TAP_EMAIL_MISSING: async () => tapped(service(), await sign({ email: undefined })),
      ONE_TAP_USER_NOT_FOUND: tap.closed,
      ONE_TAP_NOT_LINKED: tap.notLinked,
      ONE_TAP_USER_NOT_CREATED: tap.notCreated,
      SESSION_NOT_CREATED: tap.noSession,
      EMAIL_NOT_VERIFIED: tap.notVerified,
      BANNED_USER: tap.banned,
    },
  }
}

/** How links are refused. They need a session; otherwise the rules for id tokens are those of sign-ins. */
function linkSocialWays(service: () => TestService, sign: (claims?: Record<string, unknown>) => Promise<string>): Ways {
  const link = async (token: string, by?: Visitor) =>
    (by ?? (await service().person())).post('/link-social', { provider: 'google', idToken: { token } })
  return {
    PROVIDER_NOT_FOUND: async () => (await service().person()).post('/link-social', { provider: 'apple' }),
    ID_TOKEN_NOT_SUPPORTED: async () =>
      (await service().person()).post('/link-social', { provider: 'github', idToken: { token: 'x' } }),
    ID_TOKEN_INVALID: () => link('x'),
    USER_INFO_NOT_READ: async () => link(await sign({ sub: ' ' })),
    USER_EMAIL_NOT_FOUND: async () => link(await sign({ email: undefined })),
    ACCOUNT_LINKED_ELSEWHERE: async () => {
      const { sub, email } = personAt()
      await service()
        .visitor()
        .post('/sign-in/social', { provider: 'google', idToken: { token: await sign({ sub, email }) } })
      return link(await sign({ sub, email, jti: 'x' }))
    },
    ACCOUNT_LINK_FAILED: async () => link(await sign()),
    SESSION_NOT_FRESH: async () => {
      const at = await service().sibling({ ALLOW_DIFFERENT_EMAILS: 'on' })
      const ann = await at.person()
      await ageSessions(at, ann.email, 2 * 86_400)
      return link(await sign(), ann)
    },
  }
}

/** What the sentence of a refusal names. */
export const namedIn: Partial<Record<FailureName, string>> = {
  PROVIDER_NOT_SUPPORTED: 'credential',
  PROVIDER_NOT_CONFIGURED: 'apple',
  PROVIDER_WITHOUT_REFRESH: 'github',
  KEY_SCOPE_MISSING: 'read',
}
