import { providerNames } from '../../shared/providers.ts'
import { clientKey } from './authentication.ts'
import type { Provider } from './provider.ts'
import { membersOf } from './provider.ts'

const query = 'fields=open_id,avatar_url,avatar_large_url,display_name,username'

/** TikTok knows no addresses: whoever has no other way in yet cannot come in by it. */
export const tiktok: Provider = {
  id: 'tiktok',
  name: providerNames.tiktok,
  endpoints: {
    issuer: 'https://www.tiktok.com',
    authorization: 'https://www.tiktok.com/v2/auth/authorize/',
    token: 'https://open.tiktokapis.com/v2/oauth/token/',
    userinfo: 'https://open.tiktokapis.com/v2/user/info/',
  },
  scopes: ['user.info.basic', 'user.info.profile'],
  scopeSeparator: ',',
  // Its challenge is not that of RFC 7636, and on the web there is none.
  pkce: 'none',
  authentication: clientKey,
  clientIdParameter: 'client_key',
  tokenReply: (reply) => ({ token_type: 'bearer', ...reply }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const { data, error } = membersOf(await ask(`${userinfo}?${query}`))
    if (membersOf(error).code !== 'ok') return null
    const user = membersOf(membersOf(data).user)
    return {
      id: user.open_id,
      name: user.display_name || user.username,
      image: user.avatar_large_url || user.avatar_url,
    }
  },
}
