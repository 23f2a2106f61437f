import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { answerIn, personHeader, questionPage } from './provider-pages.ts'
import { keepCookie } from './visitor.ts'

/** Somebody at the provider; claims beside `sub` are told as they stand here. */
export interface Person {
  readonly sub: string
  readonly email?: string | undefined
  readonly email_verified?: boolean | undefined
  readonly name?: string | undefined
  readonly picture?: string | undefined
  /** Microsoft's: the tenant, and whether the address is of its own domain. */
  readonly tid?: string
  readonly xms_edov?: boolean
}

export interface OpenIdProvider {
  /** Its issuer. */
  readonly url: string
  /** The settings that let it stand in for the provider of that prefix, such as GOOGLE. */
  settings(prefix: string): Record<string, string>
  /** Lets a person be known there, who comes by a browser. */
  know(person: Person): void
  /** Opens an authorization address as a browser in which this person is signed in; where it is led back to. */
  visit(address: string, person: Person): Promise<URL>
  /** The same, where it may be led back by a form. */
  visitToForm(address: string, person: Person): Promise<{ readonly url: string; readonly form?: string }>
  /** The paths of all requests that reached it. */
  readonly requests: string[]
  /** An id token of its own making; `claims` replace the usual ones. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  /** `tokens` is called before each answer of the token endpoint, which waits for it. */
  readonly before: { tokens: () => unknown }
  stop(): Promise<void>
}

export const providerClient = { id: 'postern-test', secret: 'a-secret-for-the-provider-alone' }

export interface ProviderParts {
  /** Where it may lead back to. */
  readonly redirectUris?: readonly string[]
  /** Below which it lives, as in its issuer. Default: none. */
  readonly path?: string
  /** In place of a comparison with the one secret. */
  readonly isSecret?: (shown: string) => Promise<boolean>
}

const usual = (id: string) => `http://localhost:4100/api/auth/callback/${id}`
const defaults = ['google', 'github', 'gitlab', 'microsoft', 'apple', 'acme'].map(usual)

/** A real OpenID provider on loopback, with keys of its own; signs in and agrees for whoever visits. */
export async function startOpenIdProvider(parts: ProviderParts = {}): Promise<OpenIdProvider> {
  const { redirectUris = defaults, path: folder = '', isSecret } = parts
  const keys = await generateKeyPair('RS256', { extractable: true })
  const kid = randomUUID()
  const people = new Map<string, Person>()
  const requests: string[] = []
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${folder}`
  const jwk = { ...(await exportJWK(keys.privateKey)), kid, alg: 'RS256', use: 'sig' }
  const provider = new Provider(url, configuration([...redirectUris], jwk, people, folder))
  if (isSecret) Object.assign(provider.Client.prototype, { compareClientSecret: isSecret })
  const answer = provider.callback()
  const made: OpenIdProvider = {
    url,
    requests,
    settings: (prefix) => settingsOf(prefix, url),
    know: (person) => void people.set(person.sub, person),
    visit: async (address, person) => {
      const back = await visit(address, url, people.set(person.sub, person) && person)
      return new URL(back.url)
    },
    visitToForm: (address, person) => visit(address, url, people.set(person.sub, person) && person),
    sign(claims, header = {}) {
      const iat = Math.floor(Date.now() / 1000)
      const usual = { iss: url, aud: providerClient.id, sub: randomUUID(), iat, exp: iat + 300 }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, ...header })
        .sign(keys.privateKey)
    },
    before: { tokens: () => undefined },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  handle = async (request, response) => {
    // What a mounting framework does: the provider finds its own folder by the difference.
    Object.assign(request, { originalUrl: request.url, url: request.url?.slice(folder.length) })
    const path = new URL(request.url ?? '/', url).pathname
    requests.push(path)
    if (path.startsWith('/interaction/')) return finish(provider, request, response)
    if (path === '/token') await made.before.tokens()
    return answer(request, response)
  }
  return made
}

const settingsOf = (prefix: string, url: string) => ({
  KEY_ISSUERS: url,
  [`${prefix}_CLIENT_ID`]: providerClient.id,
  [`${prefix}_CLIENT_SECRET`]: providerClient.secret,
  [`${prefix}_ISSUER`]: url,
  [`${prefix}_AUTHORIZATION_URL`]: `${url}/auth`,
  [`${prefix}_TOKEN_URL`]: `${url}/token`,
  [`${prefix}_USERINFO_URL`]: `${url}/me`,
  [`${prefix}_JWKS_URL`]: `${url}/jwks`,
})

const configuration = (redirect_uris: string[], jwk: object, people: ReadonlyMap<string, Person>, folder: string) =>
  ({
    clients: [
      {
        client_id: providerClient.id,
        client_secret: providerClient.secret,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris,
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: [randomUUID()] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub', 'tid'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name', 'picture'] },
    scopes: ['openid', 'email', 'profile', 'calendar'],
    conformIdTokenClaims: false,
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `${folder}/interaction/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => Promise.resolve({ ...(people.get(accountId) ?? { sub: accountId }) }),
    }),
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
  }) as unknown as ConstructorParameters<typeof Provider>[1]

/** Signs the visitor in, or lets the application know them; a person at a browser is asked both. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  const answer = await answerIn(request)
  if (!answer) return void response.setHeader('content-type', 'text/html').end(questionPage(prompt.name))
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: answer.sub } })
  }
  if (!answer.isAgreed) return provider.interactionFinished(request, response, { error: 'access_denied' })
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

/** Follows redirects inside the provider, with a jar of its own. */
async function visit(address: string, url: string, { sub }: Person): Promise<{ url: string; form?: string }> {
  const jar = new Map<string, string>()
  let next = new URL(address)
  for (let hops = 0; next.origin === new URL(url).origin && hops < 10; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { [personHeader]: sub, ...(cookie ? { cookie } : {}) }
    const reply = await fetch(next, { redirect: 'manual', headers })
    for (const line of reply.headers.getSetCookie()) keepCookie(jar, line)
    const location = reply.headers.get('location')
    if (!location) return formIn(await reply.text(), reply.status)
    next = new URL(location, next)
  }
  return { url: next.href }
}

/** The page of a provider that leads back by a form, which a script sends off. */
function formIn(page: string, status: number): { url: string; form: string } {
  const [, url] = /<form method="post" action="([^"]+)">/.exec(page) ?? []
  if (url === undefined) throw new Error(`The provider answered ${status}: ${page.slice(0, 500)}`)
  const form = new URLSearchParams()
  for (const [, name = '', value = ''] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/?>/g))
    form.set(name, value)
  return { url, form: form.toString() }
}
