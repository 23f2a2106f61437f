import { grantShown } from './profile.ts'
import { insist, type Seen, type Stand } from './scene.ts'
import { checkHeaders } from './token.ts'

type Ask = (stand: Stand, seen: Seen) => unknown

/** GitHub's list: more than the longest page of others first, so that neither the order nor the first page tells anything. */
const addresses: Ask = (stand, seen) => {
  checkHeaders(stand, seen)
  const { id, email, isVerified } = grantShown(stand, seen).person
  const others = Array.from({ length: 140 }, (_, index) => `other-${index}-${id}@example.org`)
  const unlike = others.map((other) => ({ email: other, primary: false, verified: true, visibility: null }))
  const all = email ? [...unlike, { email, primary: true, verified: isVerified, visibility: 'private' }] : []
  const size = Math.min(Number(seen.parameters.per_page ?? 30), 100)
  return all.slice(size * (Number(seen.parameters.page ?? 1) - 1)).slice(0, size)
}

/** Facebook: of which application an access token is, and whose. */
const tokenCheck: Ask = ({ client, accessTokens }, { parameters, headers }) => {
  insist(headers.authorization === `Bearer ${client.id}|${client.secret}`, 'invalid_token', 'the application')
  const grant = accessTokens.get(parameters.input_token ?? '')
  return { data: grant ? { is_valid: true, app_id: client.id, user_id: grant.person.id } : { is_valid: false } }
}

/** A picture of a few bytes, as Microsoft sends them: not as an address. */
const photo: Ask = (stand, seen) => {
  grantShown(stand, seen)
  return Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)
}

/** What is asked besides the profile, by provider and path. */
export const asksBesides: Readonly<Record<string, Readonly<Record<string, Ask>>>> = {
  github: { 'user/emails': addresses },
  microsoft: { 'v1.0/me/photos/48x48/$value': photo },
  facebook: { 'v26.0/debug_token': tokenCheck },
}
