import { createHmac } from 'node:crypto'
import { type Grant, insist, type Seen, type Stand } from './scene.ts'
import { checkHeaders } from './token.ts'

/** What a provider's profile endpoint does: one method, one way to show the token, the query to the letter. */
export function profile(stand: Stand, seen: Seen): unknown {
  const { method = 'GET', query = {}, tell } = stand.rules.profile
  insist(seen.method === method, 'invalid_request', `a ${seen.method} for the profile`)
  checkHeaders(stand, seen)
  for (const [name, value] of Object.entries(query))
    insist(seen.parameters[name] === value, 'invalid_request', `${name} is ${seen.parameters[name]}`)
  const { person } = grantShown(stand, seen)
  checkBody(stand, seen)
  if (stand.id === 'facebook')
    insist(seen.parameters.appsecret_proof === proofOf(stand, seen), 'invalid_token', 'the proof of the token')
  const told = tell(person)
  return stand.scene.profile ? stand.scene.profile(told as never) : told
}

export function grantShown({ id, accessTokens }: Stand, { headers, form, query }: Seen): Grant {
  insist(!/access_token=/.test(query), 'invalid_token', 'a token in an address')
  const shown = id === 'vk' ? form.access_token : /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  const grant = accessTokens.get(shown ?? '')
  insist(grant !== undefined, 'invalid_token', 'an access token that is none')
  return grant
}

/** What an application may make Facebook insist on. */
const proofOf = ({ client }: Stand, { headers }: Seen): string =>
  createHmac('sha256', client.secret)
    .update(headers.authorization?.slice(7) ?? '')
    .digest('hex')

/** Dropbox refuses a body, and a content type without one; VK wants to know which client asks. */
function checkBody({ id, client }: Stand, { body, headers, form }: Seen): void {
  if (id === 'dropbox') insist(body === '' && headers['content-type'] === undefined, 'invalid_request', 'a body')
  if (id === 'vk') insist(form.client_id === client.id, 'invalid_request', `client_id is ${form.client_id}`)
}
