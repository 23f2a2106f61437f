import { randomBytes } from 'node:crypto'
import { insist, type Seen, type Stand } from './scene.ts'

/** Where the browser goes next: an address, with a form when the provider posts. */
export interface Callback {
  readonly url: string
  readonly form?: string
}

const random = () => randomBytes(18).toString('base64url')

/** What a provider does with an authorization request: checks all of it, agrees in the person's name, sends the browser back. */
export function authorize(stand: Stand, { query, parameters }: Seen): Callback {
  checkParameters(stand, query, parameters)
  checkRedirect(stand)
  const { rules, scene } = stand
  const isFirst = !stand.known.has(scene.person.id)
  const carried = rules.callbackFields?.(scene.person, isFirst) ?? {}
  const code = random()
  const isRefreshable = rules.refreshIf?.(parameters, isFirst) ?? true
  stand.codes.set(code, { ...grantOf(stand, parameters), carried, isRefreshable })
  stand.known.add(scene.person.id)
  const fields = new URLSearchParams({ code, state: parameters.state ?? '', ...carried })
  scene.callback?.(fields)
  if (rules.callback === 'POST') return { url: stand.redirectUri, form: fields.toString() }
  return { url: `${stand.redirectUri}?${fields.toString()}` }
}

const grantOf = ({ scene: { person } }: Stand, parameters: Seen['parameters']) => ({
  person,
  redirectUri: parameters.redirect_uri ?? '',
  scope: parameters.scope,
  state: parameters.state ?? '',
  challenge: parameters.code_challenge,
  nonce: parameters.nonce,
})

/** Every parameter to the letter, and none besides. */
function checkParameters(stand: Stand, query: string, parameters: Seen['parameters']): void {
  insist(!query.includes(stand.client.secret), 'invalid_request', 'the secret is in the address')
  insist(new Set(namesIn(query)).size === namesIn(query).length, 'invalid_request', `repeated parameters: ${query}`)
  const expected = expectedOf(stand)
  for (const [name, value] of Object.entries(expected))
    insist(parameters[name] === value, 'invalid_request', `${name} is ${parameters[name]}, not ${value}`)
  const open = openNames(stand)
  for (const [name, pattern] of Object.entries(open))
    insist(pattern.test(parameters[name] ?? ''), 'invalid_request', `${name} is ${parameters[name]}`)
  const others = Object.keys(parameters).filter((name) => !(name in expected || name in open || name === 'login_hint'))
  insist(others.length === 0, 'invalid_request', `nobody asked for ${others.join()}`)
  insist(!/[?&]scope=[^&]*\+/.test(`?${query}`), 'invalid_scope', 'a space that is a plus')
}

const namesIn = (query: string) => [...new URLSearchParams(query).keys()]

const expectedOf = ({ rules, client, redirectUri, scene }: Stand): Record<string, string> => ({
  response_type: 'code',
  [rules.auth === 'client-key' ? 'client_key' : 'client_id']: client.id,
  redirect_uri: redirectUri,
  ...(rules.scope !== undefined && { scope: scene.scope ?? rules.scope }),
  ...(rules.pkce && { code_challenge_method: 'S256' }),
  ...rules.extras,
  ...scene.extras,
})

const openNames = ({ rules }: Stand): Record<string, RegExp> => ({
  state: /^[\w-]{32}$/,
  ...(rules.pkce && { code_challenge: /^[\w-]{43}$/ }),
  ...(rules.nonce && { nonce: /^[\w-]{20,}$/ }),
})

/** Apple wants a real domain with https; Spotify no `localhost`. */
function checkRedirect({ id, redirectUri }: Stand): void {
  const { protocol, hostname } = new URL(redirectUri)
  if (id === 'apple')
    insist(protocol === 'https:' && /\.[a-z]+$/.test(hostname), 'invalid_request', `Apple and ${redirectUri}`)
  if (id === 'spotify') insist(hostname !== 'localhost', 'invalid_request', `Spotify and ${redirectUri}`)
}
