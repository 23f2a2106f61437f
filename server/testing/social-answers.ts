import type { OpenIdProvider } from './openid-provider.ts'
import type { TestService } from './service.ts'
import { idTokenOf, linkedPerson } from './social.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call about providers. The service has the provider as its google. */
export function socialAnswers(
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> {
  const linked = async () => {
    const visitor = await linkedPerson(service(), provider())
    const { id, accountId } = (await visitor.get('/list-accounts')).body[1]
    const post = (path: string, body: object) => visitor.post(path, { providerId: 'google', ...body })
    return { visitor, row: { accountId: id }, person: { accountId }, post }
  }
  return {
    signInSocial: async () => {
      const idToken = { token: await idTokenOf(provider()) }
      return service().visitor().post('/sign-in/social', { provider: 'google', idToken })
    },
    listProviders: () => service().visitor().get('/provider/list'),
    listAccounts: async () => (await linked()).visitor.get('/list-accounts'),
    linkSocial: async () => (await service().person()).post('/link-social', { provider: 'google' }),
    unlinkAccount: async () => {
      const { post, person } = await linked()
      return post('/unlink-account', person)
    },
    accountInfo: async () => {
      const { visitor, row } = await linked()
      return visitor.get(`/account-info?${new URLSearchParams(row).toString()}`)
    },
    refreshToken: async () => {
      const { post, row } = await linked()
      return post('/refresh-token', row)
    },
    getAccessToken: async () => {
      const { post, row } = await linked()
      return post('/get-access-token', row)
    },
    oneTap: async () =>
      service()
        .visitor()
        .post('/one-tap/callback', { idToken: await idTokenOf(provider()) }),
  }
}
