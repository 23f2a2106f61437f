import type { FailureName } from '../../shared/errors.ts'
import { exchange, jobToken, trustFields, trustIn } from './key-answers.ts'
import { holder, machine, organizationKey } from './machines.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { done, type Founded, found } from './organizations.ts'
import { ageSessions } from './rows.ts'
import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

type Ways = Partial<Record<FailureName, () => Promise<Reply>>>

/** What the messages name in these ways. */
export const namedInKeys: Partial<Record<FailureName, string>> = { KEY_LIFE_TOO_LONG: '365 days' }

/** How each failure of the calls about keys is reached. */
export function keyWays(service: () => TestService, provider: () => OpenIdProvider): Record<string, Ways> {
  const create = (person: Visitor, fields: object = {}) => person.post('/key/create', { name: 'ci', ...fields })
  const stale = async () => {
    const person = await service().person()
    await ageSessions(service(), person.email, 2 * 86_400)
    return person
  }
  const asMember = async (ask: (member: Visitor, acmeId: string, keyId: string) => Promise<Reply>) => {
    const acme = await found(service())
    const { id } = await organizationKey(acme)
    return ask(await acme.join('member'), acme.id, id)
  }
  /** Who may make keys, and end none. */
  const asMaker = async (ask: (maker: Visitor, acme: Founded) => Promise<Reply>) => {
    const acme = await found(service())
    return ask(await holder(service(), acme, { member: ['create'] }), acme)
  }
  const inAcme = async (fields: object, at = service()) => {
    const acme = await found(at)
    return create(acme.owner, { organizationId: acme.id, role: 'member', ...fields })
  }
  const trust = async (fields: object, at = service()) => {
    const acme = await found(at)
    return acme.owner.post('/key/trust/create', trustFields(acme, provider(), fields))
  }
  const organization = 'no-such-organization'
  const none = () => service().sibling({ KEY_LIMIT: '0' })
  return {
    createKey: {
      SESSION_NOT_FRESH: async () => create(await stale()),
      ROLE_NOT_FOUND: () => inAcme({ role: 'no-such-role' }),
      SCOPE_NOT_FOUND: async () => create(await service().person(), { scopes: ['no:such'] }),
      IP_RANGE_INVALID: async () => create(await service().person(), { ipRanges: ['10.0.0.0/33'] }),
      KEY_LIFE_TOO_LONG: async () => create(await service().person(), { expiresIn: 366 * 86_400 }),
      NOT_A_MEMBER_FORBIDDEN: async () =>
        create(await service().person(), { organizationId: (await found(service())).id, role: 'member' }),
      KEY_CREATE_FORBIDDEN: () =>
        asMember((member, organizationId) => create(member, { organizationId, role: 'member' })),
      KEY_ROLE_FORBIDDEN: () => inAcme({ role: 'owner' }),
      KEY_LIMIT_REACHED: async () => inAcme({}, await none()),
    },
    listKeys: {
      NOT_A_MEMBER_FORBIDDEN: async () =>
        (await service().person()).get(`/key/list?organizationId=${(await found(service())).id}`),
      KEY_LIST_FORBIDDEN: () => asMember((member, id) => member.get(`/key/list?organizationId=${id}`)),
    },
    createClientKey: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/api-key/create', {}),
      KEY_LIFE_TOO_LONG: async () => (await service().person()).post('/api-key/create', { expiresIn: 366 * 86_400 }),
      KEY_LIMIT_REACHED: async () => (await (await none()).person()).post('/api-key/create', {}),
    },
    getClientKey: { KEY_NOT_FOUND: () => asMember((member, _id, keyId) => member.get(`/api-key/get?id=${keyId}`)) },
    deleteClientKey: {
      KEY_NOT_FOUND: () => asMember((member, _id, keyId) => member.post('/api-key/delete', { keyId })),
      KEY_REVOKE_FORBIDDEN: () =>
        asMaker(async (maker, acme) => maker.post('/api-key/delete', { keyId: (await organizationKey(acme)).id })),
    },
    viewKey: { KEY_NOT_FOUND: () => asMember((member, _id, keyId) => member.get(`/key/view?keyId=${keyId}`)) },
    rotateKey: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/key/rotate', { keyId: 'no-such-key' }),
      KEY_LIFE_TOO_LONG: async () =>
        (await service().person()).post('/key/rotate', { keyId: 'no-such-key', expiresIn: 366 * 86_400 }),
      KEY_NOT_FOUND: async () => (await service().person()).post('/key/rotate', { keyId: 'no-such-key' }),
      KEY_EXPIRED: async () => {
        const person = await service().person()
        const { id } = (await create(person)).body
        await service().deps.sql`update machine_keys set expires_at = now() where id = ${id}`
        return person.post('/key/rotate', { keyId: id })
      },
      KEY_ROTATE_UNNAMED: async () => {
        const acme = await found(service())
        const { id: keyId } = await organizationKey(acme, { role: 'member' })
        const { id: rule } = await trustIn(acme, provider(), { rotates: [] })
        const { body } = await exchange(service().visitor(), await jobToken(service(), provider()), { trust: rule })
        return machine(service(), body.access_token).post('/key/rotate', { keyId })
      },
      KEY_SECRET_REPLACED: async () => {
        const { id: keyId, token } = await organizationKey(await found(service()), { rotatesItself: true })
        const key = machine(service(), token)
        await done(key.post('/key/rotate', { keyId }))
        return key.post('/key/rotate', { keyId })
      },
      KEY_ROTATE_FORBIDDEN: () =>
        asMaker(async (maker, acme) => maker.post('/key/rotate', { keyId: (await organizationKey(acme)).id })),
    },
    adoptKey: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/key/adopt', { keyId: 'no-such-key' }),
      KEY_NOT_FOUND: () => asMember((member, _id, keyId) => member.post('/key/adopt', { keyId })),
      KEY_ADOPT_FORBIDDEN: () =>
        asMaker(async (maker, acme) => maker.post('/key/adopt', { keyId: (await organizationKey(acme)).id })),
    },
    revokeKey: {
      KEY_NOT_FOUND: () => asMember((member, _id, keyId) => member.post('/key/revoke', { keyId })),
      KEY_REVOKE_FORBIDDEN: () =>
        asMaker(async (maker, acme) => maker.post('/key/revoke', { keyId: (await organizationKey(acme)).id })),
    },
    createTrust: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/key/trust/create', trustFields({ id: 'x' }, provider())),
      ROLE_NOT_FOUND: () => trust({ role: 'no-such-role' }),
      KEY_NOT_FOUND: () => trust({ rotates: ['no-such-key'] }),
      TRUST_ISSUER_UNKNOWN: () => trust({ issuer: 'https://ci.example.com' }),
      TRUST_TOO_WIDE: async () => {
        const github = 'https://token.actions.githubusercontent.com'
        const at = await service().sibling({ KEY_ISSUERS: github })
        return trust({ issuer: github, claims: { ref: 'refs/heads/main' } }, at)
      },
      NOT_A_MEMBER_FORBIDDEN: async () =>
        (await service().person()).post('/key/trust/create', trustFields(await found(service()), provider())),
      KEY_CREATE_FORBIDDEN: () =>
        asMember((member, id) => member.post('/key/trust/create', trustFields({ id }, provider()))),
      KEY_ROLE_FORBIDDEN: () => trust({ role: 'owner' }),
      KEY_LIMIT_REACHED: async () => trust({}, await none()),
    },
    listTrusts: {
      NOT_A_MEMBER_FORBIDDEN: async () =>
        (await service().person()).get(`/key/trust/list?organizationId=${(await found(service())).id}`),
      KEY_LIST_FORBIDDEN: () => asMember((member, id) => member.get(`/key/trust/list?organizationId=${id}`)),
    },
    adoptTrust: {
      SESSION_NOT_FRESH: async () => (await stale()).post('/key/trust/adopt', { trustId: 'no-such-rule' }),
      TRUST_NOT_FOUND: async () => (await service().person()).post('/key/trust/adopt', { trustId: 'no-such-rule' }),
      KEY_ADOPT_FORBIDDEN: () =>
        asMaker(async (maker, acme) =>
          maker.post('/key/trust/adopt', { trustId: (await trustIn(acme, provider())).id }),
        ),
    },
    deleteTrust: {
      TRUST_NOT_FOUND: async () => (await service().person()).post('/key/trust/delete', { trustId: 'no-such-rule' }),
      KEY_REVOKE_FORBIDDEN: () =>
        asMaker(async (maker, acme) =>
          maker.post('/key/trust/delete', { trustId: (await trustIn(acme, provider())).id }),
        ),
    },
    exchangeToken: {
      OAUTH_INPUT_INVALID: () => service().visitor().post('/token-exchange', {}),
      EXCHANGE_GRANT_TYPE_UNKNOWN: () => exchange(service().visitor(), 'x', { organization, grant_type: 'password' }),
      EXCHANGE_TOKEN_TYPE_UNKNOWN: () =>
        exchange(service().visitor(), 'x', { organization, subject_token_type: 'saml' }),
      EXCHANGE_TOKEN_REFUSED: () => exchange(service().visitor(), 'x', { organization }),
      EXCHANGE_SPONSOR_GONE: async () => {
        const acme = await found(service())
        const { id: trust } = await trustIn(acme, provider())
        await service().deps.sql`update users set banned = true where id = ${acme.owner.userId}`
        return exchange(service().visitor(), await jobToken(service(), provider()), { trust })
      },
      EXCHANGE_AMBIGUOUS: async () => {
        const claims = { repository: `acme/${crypto.randomUUID()}` }
        const acme = await found(service())
        for (const name of ['one', 'two']) await trustIn(acme, provider(), { claims, name })
        return exchange(service().visitor(), await jobToken(service(), provider(), claims), { organization: acme.id })
      },
    },
  }
}
