import { createHash, randomBytes } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { signToken } from './keys.ts'
import type { Fields } from './rules.ts'
import { type Grant, insist, type Seen, type Stand } from './scene.ts'

const random = (kind: string) => `${kind}.${randomBytes(18).toString('base64url')}`

/** What a provider's token endpoint does: who asks, with what, and each thing once. */
export async function tokens(stand: Stand, seen: Seen): Promise<unknown> {
  insist(seen.method === 'POST', 'invalid_request', `a ${seen.method} for a token`)
  insist(seen.query === '', 'invalid_request', `the token call has a query: ${seen.query}`)
  insist(
    /^application\/x-www-form-urlencoded\b/.test(seen.headers['content-type'] ?? ''),
    'invalid_request',
    `content type ${seen.headers['content-type']}`,
  )
  checkHeaders(stand, seen)
  await checkClient(stand, seen)
  const isRefresh = seen.form.grant_type === 'refresh_token'
  const grant = isRefresh ? refreshed(stand, seen.form) : redeemed(stand, seen.form)
  const reply = await replyTo(stand, grant, { isRefresh, state: seen.form.state })
  return stand.scene.reply ? stand.scene.reply(reply) : reply
}

export function checkHeaders({ rules }: Stand, { headers }: Seen): void {
  for (const [name, pattern] of Object.entries(rules.headers ?? {}))
    insist(pattern.test(headers[name] ?? ''), 'too_many_requests', `${name} is ${headers[name]}`)
}

/** The one way that the provider knows, and no other beside it. */
async function checkClient(stand: Stand, { form, headers }: Seen): Promise<void> {
  const { id, secret } = stand.client
  const { auth } = stand.rules
  const wrong = 'invalid_client'
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  insist(headers.authorization === (auth === 'basic' ? basic : undefined), wrong, 'the Authorization header')
  const isNamed = auth === 'body' || auth === 'none' || auth === 'signed'
  insist(form.client_id === (isNamed ? id : undefined), wrong, `client_id is ${form.client_id}`)
  insist(form.client_key === (auth === 'client-key' ? id : undefined), wrong, `client_key is ${form.client_key}`)
  if (auth === 'signed') return checkSignedSecret(stand, form.client_secret ?? '')
  const isShown = auth === 'body' || auth === 'client-key'
  insist(form.client_secret === (isShown ? secret : undefined), wrong, 'the secret in the body')
}

/** Six months, in the seconds that Apple tells. */
const longest = 15_777_000

async function checkSignedSecret({ client, appleKey }: Stand, secret: string): Promise<void> {
  const audience = 'https://appleid.apple.com'
  const { payload } = await jwtVerify(secret, appleKey.publicKey, { algorithms: ['ES256'], audience })
  insist(decodeProtectedHeader(secret).kid === appleKey.keyId, 'invalid_client', 'the kid of the secret')
  insist(payload.iss === appleKey.teamId && payload.sub === client.id, 'invalid_client', 'who signed the secret')
  const life = (payload.exp ?? Number.POSITIVE_INFINITY) - (payload.iat ?? 0)
  insist(life <= longest, 'invalid_client', `the secret lives for ${life} seconds`)
}

function redeemed(stand: Stand, form: Seen['form']): Grant {
  insist(form.grant_type === 'authorization_code', 'unsupported_grant_type', `grant_type is ${form.grant_type}`)
  const grant = stand.codes.get(form.code ?? '')
  stand.codes.delete(form.code ?? '')
  insist(grant !== undefined, 'invalid_grant', 'a code that nobody has, or that was used')
  insist(form.redirect_uri === grant.redirectUri, 'invalid_grant', `redirect_uri is ${form.redirect_uri}`)
  const isPkce = grant.challenge !== undefined
  // LinkedIn's own word for a verifier that it did not expect.
  insist(isPkce || form.code_verifier === undefined, 'invalid_client', 'a verifier without a challenge')
  insist(!isPkce || challengeOf(form.code_verifier) === grant.challenge, 'invalid_grant', 'the verifier')
  insist(!isPkce || form.code_verifier?.length === 128, 'invalid_grant', 'a short verifier')
  checkCarried(stand.rules.carried?.exchange, form, grant)
  return grant
}

const challengeOf = (verifier = '') => createHash('sha256').update(verifier).digest('base64url')

function refreshed(stand: Stand, form: Seen['form']): Grant {
  const token = form.refresh_token ?? ''
  const grant = stand.refreshTokens.get(token)
  insist(grant !== undefined, 'invalid_grant', 'a refresh token that is none, or that was used')
  checkCarried(stand.rules.carried?.refresh, form, grant)
  if (stand.rules.refresh === 'single-use') stand.refreshTokens.delete(token)
  return grant
}

/** What the callback carried comes back as it was; a state of a token call may be another one. */
function checkCarried(names: readonly string[] = [], form: Seen['form'], grant: Grant): void {
  const original: Readonly<Record<string, string | undefined>> = { scope: grant.scope, ...grant.carried }
  for (const name of names) {
    const value = form[name]
    insist(value !== undefined && value !== '', 'invalid_request', `${name} is missing`)
    insist(name === 'state' || value === original[name], 'invalid_request', `${name} is ${value}`)
  }
}

interface Asked {
  readonly isRefresh: boolean
  /** VK wants one with each call, and tells it back. */
  readonly state: string | undefined
}

async function replyTo(stand: Stand, grant: Grant, { isRefresh, state }: Asked): Promise<Fields> {
  const { rules } = stand
  const accessToken = random('access')
  stand.accessTokens.set(accessToken, grant)
  return withoutUndefined({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: toldScope(stand, grant),
    refresh_token: newRefreshToken(stand, grant, isRefresh),
    id_token: rules.idToken && (await idTokenOf(stand, grant, isRefresh)),
    state: rules.carried?.exchange?.includes('state') ? state : undefined,
    ...rules.reply?.(grant.person),
  })
}

function newRefreshToken({ rules, refreshTokens }: Stand, grant: Grant, isRefresh: boolean): string | undefined {
  const isGiven = rules.refresh === 'single-use' || (rules.refresh === 'kept' && !isRefresh)
  if (!isGiven || !grant.isRefreshable) return undefined
  const token = random('refresh')
  refreshTokens.set(token, grant)
  return token
}

function toldScope({ rules }: Stand, { scope = '' }: Grant): unknown {
  const scopes = scope.split(/[ ,]/)
  if (rules.toldScope === 'commas') return scopes.join(',')
  if (rules.toldScope === 'list') return scopes
  return rules.toldScope === 'none' ? undefined : scope
}

const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** An id token as the provider makes it, for whoever the grant is of. */
async function idTokenOf(stand: Stand, grant: Grant, isRefresh: boolean): Promise<string> {
  const { nonce, person } = grant
  return idToken(stand, person, stand.rules.nonce && !isRefresh && nonce !== undefined ? { nonce } : {})
}

/** An id token for a person, as a native application gets one without any redirect. */
export async function idToken(stand: Stand, person = stand.scene.person, more: Fields = {}): Promise<string> {
  const { rules, url, client, keys, scene } = stand
  const { issuer, algorithm, claims } = rules.idToken ?? { issuer: '', algorithm: 'RS256', claims: () => ({}) }
  const now = Math.floor(Date.now() / 1000)
  const standard = { iss: `${url}${issuer}`, aud: client.id, sub: person.id, iat: now, exp: now + 3600 }
  const payload = { ...standard, ...claims(person), ...more }
  const changed = scene.claims ? scene.claims(payload) : payload
  return scene.sign ? scene.sign(changed) : signToken(changed, keys[algorithm])
}
