import { createHmac } from 'node:crypto'
import { coerceObject, type Json, type Profile, type ProfileSource, type Provider } from './provider.ts'

/** Each version lives for about two years. */
const newestVersion = 'v26.0'

export const facebook: Provider = {
  id: 'facebook',
  endpoints: ({ options: { GRAPH_VERSION: version = newestVersion } }) => ({
    // The issuer of Limited Login, which phone applications use.
    issuer: 'https://www.facebook.com',
    authorization: `https://www.facebook.com/${version}/dialog/oauth`,
    token: `https://graph.facebook.com/${version}/oauth/access_token`,
    userinfo: `https://graph.facebook.com/${version}/me`,
    jwks: 'https://limited.facebook.com/.well-known/oauth/openid/jwks/',
  }),
  scopes: ['email', 'public_profile'],
  // Facebook ignores PKCE except for OpenID, where its replies differ.
  pkce: 'none',
  options: {
    GRAPH_VERSION: { expected: `a version like ${newestVersion}`, pattern: /^v\d{2,3}\.\d$/ },
    CONFIG_ID: { expected: 'the id of a configuration of Login for Business', pattern: /^\d+$/ },
  },
  parameters: ({ options }) => ({ config_id: options.CONFIG_ID }),
  refresh: false,
  idToken: {
    isForSignIn: true,
    comesWithCode: false,
    // Facebook never says that an address is verified, not in these tokens either.
    profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
  },
  profile: profileOf,
  /** Only Facebook knows which application an access token was made for. */
  async profileOfForeign(source) {
    const { registration, accessToken, ask, endpoints } = source
    const { clientId, clientSecret } = registration
    const address = new URL('debug_token', endpoints.userinfo)
    address.searchParams.set('input_token', accessToken)
    const headers = { authorization: `Bearer ${clientId}|${clientSecret}` }
    const { data } = coerceObject(await ask(address.href, { headers, isBearer: false }))
    const { is_valid: isValid, app_id: application, user_id: user } = coerceObject(data)
    if (isValid !== true || application !== clientId) return null
    const profile = await profileOf(source)
    return profile.id === user ? profile : null
  },
}

const fields = 'id,name,email,picture'

async function profileOf({ ask, accessToken, registration, endpoints }: ProfileSource): Promise<Profile> {
  // Some applications require this proof that the token is not stolen.
  const proof = createHmac('sha256', registration.clientSecret).update(accessToken).digest('hex')
  const query = new URLSearchParams({ fields, appsecret_proof: proof }).toString()
  const { id, name, email, picture }: Json = coerceObject(await ask(`${endpoints.userinfo}?${query}`))
  return { id, name, email, image: coerceObject(coerceObject(picture).data).url }
}
