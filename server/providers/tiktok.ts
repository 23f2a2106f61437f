import { clientKey } from './authentication.ts'
import { coerceObject, type Provider } from './provider.ts'

const query = 'fields=open_id,avatar_url,avatar_large_url,display_name,username'

/** TikTok gives no addresses. */
export const tiktok: Provider = {
  id: 'tiktok',
  endpoints: {
    issuer: 'https://www.tiktok.com',
    authorization: 'https://www.tiktok.com/v2/auth/authorize/',
    token: 'https://open.tiktokapis.com/v2/oauth/token/',
    userinfo: 'https://open.tiktokapis.com/v2/user/info/',
  },
  scopes: ['user.info.basic', 'user.info.profile'],
  scopeSeparator: ',',
  // TikTok's challenge does not follow RFC 7636, and its web flow has none.
  pkce: 'none',
  authentication: clientKey,
  clientIdParameter: 'client_key',
  tokenReply: (reply) => ({ token_type: 'bearer', ...reply }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const { data, error } = coerceObject(await ask(`${userinfo}?${query}`))
    if (coerceObject(error).code !== 'ok') return null
    const user = coerceObject(coerceObject(data).user)
    return {
      id: user.open_id,
      name: user.display_name || user.username,
      image: user.avatar_large_url || user.avatar_url,
    }
  },
}
