import type { OpenIdProvider } from './openid-provider.ts'
import type { TestService } from './service.ts'
import { idTokenOf, linkedPerson } from './social.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call about providers. The service has the provider as its google. */
export function socialAnswers(
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> {
  const linked = () => linkedPerson(service(), provider())
  return {
    signInSocial: async () => {
      const idToken = { token: await idTokenOf(provider()) }
      return service().visitor().post('/sign-in/social', { provider: 'google', idToken })
    },
    listAccounts: async () => (await linked()).get('/list-accounts'),
    linkSocial: async () => (await service().person()).post('/link-social', { provider: 'google' }),
    unlinkAccount: async () => (await linked()).post('/unlink-account', { providerId: 'google' }),
    refreshToken: async () => (await linked()).post('/refresh-token', { providerId: 'google' }),
    getAccessToken: async () => (await linked()).post('/get-access-token', { providerId: 'google' }),
    oneTap: async () =>
      service()
        .visitor()
        .post('/one-tap/callback', { idToken: await idTokenOf(provider()) }),
  }
}
