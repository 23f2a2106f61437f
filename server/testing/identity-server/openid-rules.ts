import type { Person } from './person.ts'
import type { Rules } from './rules.ts'

/** The tenant of the people whom Microsoft's stand-in knows. */
export const microsoftTenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

const named = ({ name, picture }: Person) => ({ name, ...(picture && { picture }) })
const addressed = ({ email, isVerified }: Person) => (email ? { email, email_verified: isVerified } : {})

/** Booleans as texts, as Apple and LinkedIn send them. */
const addressedInText = ({ email, isVerified }: Person) => (email ? { email, email_verified: String(isVerified) } : {})

const firstAndLast = (name: string) => {
  const [firstName, ...rest] = name.split(' ')
  return { firstName, lastName: rest.join(' ') }
}

/** The providers that sign an id token which says who somebody is. */
export const openidRules = {
  apple: {
    paths: { authorize: 'auth/authorize', token: 'auth/token', profile: 'none', keys: 'auth/keys' },
    scope: 'name email',
    toldScope: 'none',
    extras: { response_mode: 'form_post' },
    pkce: true,
    nonce: true,
    auth: 'signed',
    refresh: 'kept',
    idToken: { issuer: '', algorithm: 'RS256', claims: addressedInText },
    profile: { tell: () => ({}) },
    callback: 'POST',
    callbackFields: ({ name, email }, isFirst) =>
      isFirst ? { user: JSON.stringify({ name: firstAndLast(name), email }) } : {},
  },
  google: {
    paths: { authorize: 'o/oauth2/v2/auth', token: 'token', profile: 'v1/userinfo', keys: 'oauth2/v3/certs' },
    scope: 'openid email profile',
    pkce: true,
    nonce: true,
    auth: 'body',
    refresh: 'kept',
    refreshIf: (asked, isFirst) => asked.access_type === 'offline' && (isFirst || asked.prompt === 'consent'),
    idToken: { issuer: '', algorithm: 'RS256', claims: (person) => ({ ...named(person), ...addressed(person) }) },
    profile: { tell: (person) => ({ sub: person.id, ...named(person), ...addressed(person) }) },
    callbackFields: () => ({ authuser: '0', prompt: 'consent', scope: 'openid email profile' }),
  },
  microsoft: {
    paths: {
      authorize: 'common/oauth2/v2.0/authorize',
      token: 'common/oauth2/v2.0/token',
      profile: 'v1.0/me',
      keys: 'common/discovery/v2.0/keys',
    },
    scope: 'openid profile email User.Read offline_access',
    extras: { response_mode: 'query' },
    pkce: true,
    nonce: true,
    auth: 'body',
    refresh: 'single-use',
    refreshIf: ({ scope = '' }) => scope.includes('offline_access'),
    idToken: {
      issuer: `/${microsoftTenant}/v2.0`,
      algorithm: 'RS256',
      claims: ({ id, name, email, isVerified }) => ({
        sub: `pairwise-${id}`,
        oid: id,
        tid: microsoftTenant,
        ver: '2.0',
        name,
        preferred_username: `${id}@tenant.onmicrosoft.com`,
        ...(email && { email, ...(isVerified && { xms_edov: '1' }) }),
      }),
    },
    profile: { tell: () => ({}) },
    carried: { refresh: ['scope'] },
  },
  linkedin: {
    paths: { authorize: 'oauth/v2/authorization', token: 'oauth/v2/accessToken', profile: 'v2/userinfo', keys: 'jwks' },
    scope: 'openid profile email',
    toldScope: 'commas',
    pkce: false,
    auth: 'body',
    refresh: 'none',
    reply: () => ({ token_type: undefined, expires_in: 5_184_000 }),
    idToken: {
      issuer: '/oauth',
      algorithm: 'RS256',
      claims: (person) => ({ ...named(person), ...addressedInText(person) }),
    },
    profile: { tell: (person) => ({ sub: person.id, ...named(person), ...addressed(person) }) },
  },
  twitch: {
    paths: { authorize: 'oauth2/authorize', token: 'oauth2/token', profile: 'oauth2/userinfo', keys: 'oauth2/keys' },
    scope: 'user:read:email openid',
    toldScope: 'list',
    extras: {
      claims: '{"id_token":{"email":null,"email_verified":null,"picture":null,"preferred_username":null}}',
    },
    pkce: false,
    nonce: true,
    auth: 'body',
    refusals: 'status',
    refresh: 'single-use',
    idToken: {
      issuer: '/oauth2',
      algorithm: 'RS256',
      claims: (person) => ({ preferred_username: person.name, picture: person.picture, ...addressed(person) }),
    },
    profile: {
      tell: (person) => ({
        sub: person.id,
        preferred_username: person.name,
        picture: person.picture,
        ...addressed(person),
      }),
    },
  },
  roblox: {
    paths: { authorize: 'v1/authorize', token: 'v1/token', profile: 'v1/userinfo', keys: 'v1/certs' },
    scope: 'openid profile',
    extras: { prompt: 'select_account consent' },
    pkce: true,
    nonce: true,
    auth: 'body',
    refresh: 'single-use',
    reply: () => ({ expires_in: 899 }),
    idToken: { issuer: '/', algorithm: 'ES256', claims: ({ name }) => ({ nickname: name }) },
    profile: {
      tell: ({ id, name, picture }) => ({ sub: id, name, nickname: name, preferred_username: `user_${id}`, picture }),
    },
  },
} satisfies Record<string, Rules>
