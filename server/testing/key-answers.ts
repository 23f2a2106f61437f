import { exchangeGrantType, subjectTokenTypes } from '../../shared/key-text.ts'
import { organizationKey } from './machines.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { done, type Founded, found } from './organizations.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** What a CI provider says of the jobs of one repository. */
export const ciClaims = { repository: 'acme/site', ref: 'refs/heads/main' }

/** A rule of an organization that trusts the jobs of a repository at a provider, made by its owner. */
export const trustIn = (acme: Founded, provider: OpenIdProvider, fields: object = {}): Promise<Reply['body']> =>
  done(acme.owner.post('/key/trust/create', trustFields(acme, provider, fields)))

export const trustFields = ({ id }: { readonly id: string }, { url: issuer }: OpenIdProvider, fields: object = {}) => ({
  name: 'pipeline',
  organizationId: id,
  issuer,
  claims: ciClaims,
  role: 'admin',
  ...fields,
})

/** An id token as the provider makes one for a job; `claims` replace the usual ones. */
export const jobToken = (service: TestService, provider: OpenIdProvider, claims: object = {}): Promise<string> =>
  provider.sign({ aud: service.deps.config.BASE_URL.origin, jti: crypto.randomUUID(), ...ciClaims, ...claims })

export const exchange = (visitor: Visitor, token: string, fields: object = {}): Promise<Reply> =>
  visitor.post('/token-exchange', {
    grant_type: exchangeGrantType,
    subject_token: token,
    subject_token_type: subjectTokenTypes[0],
    ...fields,
  })

/** One answer of each call about keys and trust rules, with everything in it that it can have. */
export function keyAnswers(
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> {
  const inAcme = async (ask: (acme: Founded) => Promise<Reply>) => ask(await found(service()))
  const withKey = (ask: (owner: Visitor, keyId: string, acme: Founded) => Promise<Reply>) =>
    inAcme(async (acme) => {
      const { id } = await organizationKey(acme, { scopes: ['read'], ipRanges: ['10.0.0.0/8'] })
      return ask(acme.owner, id, acme)
    })
  const withOwnKey = async (ask: (person: Visitor, keyId: string) => Promise<Reply>) => {
    const person = await service().person()
    return ask(person, (await done(person.post('/key/create', { name: 'deploy' }))).id)
  }
  const withTrust = (ask: (owner: Visitor, trustId: string, acme: Founded) => Promise<Reply>) =>
    inAcme(async (acme) => ask(acme.owner, (await trustIn(acme, provider())).id, acme))
  const ofAnother = async (acme: Founded) => ({ ...acme, owner: await acme.join('admin') })
  return {
    createKey: () =>
      inAcme(({ owner, id: organizationId }) =>
        owner.post('/key/create', { name: 'deploy', organizationId, role: 'admin', scopes: ['read'] }),
      ),
    listKeys: () => withKey((owner, _id, acme) => owner.get(`/key/list?organizationId=${acme.id}`)),
    viewKey: () => withKey((owner, keyId) => owner.get(`/key/view?keyId=${keyId}`)),
    rotateKey: () => withKey((owner, keyId) => owner.post('/key/rotate', { keyId })),
    adoptKey: () =>
      inAcme(async (acme) => {
        const { id: keyId } = await organizationKey(await ofAnother(acme), { scopes: ['read'] })
        return acme.owner.post('/key/adopt', { keyId })
      }),
    revokeKey: () => withKey((owner, keyId) => owner.post('/key/revoke', { keyId })),
    createClientKey: async () => (await service().person()).post('/api-key/create', { name: 'deploy' }),
    listClientKeys: () => withOwnKey((person) => person.get('/api-key/list?limit=10&offset=0')),
    getClientKey: () => withOwnKey((person, id) => person.get(`/api-key/get?id=${id}`)),
    deleteClientKey: () => withOwnKey((person, keyId) => person.post('/api-key/delete', { keyId })),
    createTrust: () => inAcme((acme) => acme.owner.post('/key/trust/create', trustFields(acme, provider()))),
    listTrusts: () => withTrust((owner, _id, acme) => owner.get(`/key/trust/list?organizationId=${acme.id}`)),
    adoptTrust: () =>
      inAcme(async (acme) => {
        const { id: trustId } = await trustIn(await ofAnother(acme), provider())
        return acme.owner.post('/key/trust/adopt', { trustId })
      }),
    deleteTrust: () => withTrust((owner, trustId) => owner.post('/key/trust/delete', { trustId })),
    exchangeToken: () =>
      withTrust(async (_owner, trust) =>
        exchange(service().visitor(), await jobToken(service(), provider()), { trust }),
      ),
  }
}
