import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ProviderId, providerIds } from '../../shared/providers.ts'
import type { Endpoints } from '../providers/provider.ts'
import { answer } from './identity-server/answer.ts'
import { type AppleKey, createAppleKey, createSigningKey, type SigningKey } from './identity-server/keys.ts'
import { oauthRules } from './identity-server/oauth-rules.ts'
import { openidRules } from './identity-server/openid-rules.ts'
import { somebody } from './identity-server/person.ts'
import type { Rules } from './identity-server/rules.ts'
import type { Stand } from './identity-server/scene.ts'

/** All the providers in one process on loopback, each in a folder of its own, with its own rules, words and mistakes. */
export interface IdentityServer {
  readonly stands: Readonly<Record<ProviderId, Stand>>
  /** What the service's environment has to say so that it takes these for the providers. */
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export interface IdentityServerOptions {
  /** Where the service is: BASE_URL and BASE_PATH. The callbacks below it are what is registered. */
  readonly service: string
}

const rulesOf: Readonly<Record<ProviderId, Rules>> = { ...openidRules, ...oauthRules }

export async function startIdentityServer({ service }: IdentityServerOptions): Promise<IdentityServer> {
  const server = createServer((request, response) => {
    const [, id = '', path = ''] = /^\/([^/]*)\/([^?]*)/.exec(request.url ?? '') ?? []
    const stand = stands[id as ProviderId]
    if (stand) answer(stand, path, request, response).catch(() => response.destroy())
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = { origin, service, keys: await createKeys(), appleKey: await createAppleKey() }
  const stands = Object.fromEntries(providerIds.map((id) => [id, createStand(id, made)])) as Record<ProviderId, Stand>
  return {
    stands,
    settings: Object.assign({}, ...Object.values(stands).map(settingsOf)),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const createKeys = async (): Promise<Stand['keys']> => ({
  RS256: await createSigningKey('RS256', 'rsa-1'),
  ES256: await createSigningKey('ES256', 'ec-1'),
})

interface Made {
  readonly origin: string
  readonly service: string
  readonly keys: Readonly<Record<'RS256' | 'ES256', SigningKey>>
  readonly appleKey: AppleKey
}

const createStand = (id: ProviderId, { origin, service, keys, appleKey }: Made): Stand => ({
  id,
  rules: rulesOf[id],
  // With the characters that a Basic header must not encode.
  client: { id: `${id}-client_1`, secret: `${id}_s3-cr~et.value` },
  url: `${origin}/${id}`,
  endpoints: endpointsOf(id, `${origin}/${id}`),
  redirectUri: `${service}/callback/${id}`,
  keys,
  appleKey,
  scene: { person: somebody() },
  seen: [],
  complaints: [],
  codes: new Map(),
  accessTokens: new Map(),
  refreshTokens: new Map(),
  known: new Set(),
})

/** Where the issuer is not that of the id tokens: Microsoft's has the tenant's place in it. */
const issuers: Readonly<Record<string, string>> = { microsoft: '/{tenantid}/v2.0', github: '/login/oauth' }

function endpointsOf(id: ProviderId, url: string): Endpoints {
  const { paths, idToken } = rulesOf[id]
  return {
    issuer: `${url}${issuers[id] ?? idToken?.issuer ?? ''}`,
    authorization: `${url}/${paths.authorize}`,
    token: `${url}/${paths.token}`,
    ...(paths.profile !== 'none' && { userinfo: `${url}/${paths.profile}` }),
    ...(paths.keys && { jwks: `${url}/${paths.keys}` }),
  }
}

function settingsOf({ id, endpoints, rules, client, appleKey }: Stand): Record<string, string> {
  const { issuer, authorization, token, userinfo, jwks } = endpoints
  const named = {
    CLIENT_ID: client.id,
    ...(rules.auth !== 'none' && rules.auth !== 'signed' && { CLIENT_SECRET: client.secret }),
    ISSUER: issuer,
    AUTHORIZATION_URL: authorization,
    TOKEN_URL: token,
    ...(userinfo && { USERINFO_URL: userinfo }),
    ...(jwks && { JWKS_URL: jwks }),
    ...(id === 'apple' && { TEAM_ID: appleKey.teamId, KEY_ID: appleKey.keyId, PRIVATE_KEY: appleKey.pem }),
  }
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [`${id.toUpperCase()}_${name}`, value]))
}
