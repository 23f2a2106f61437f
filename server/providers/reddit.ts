import { rawBasic } from './authentication.ts'
import { coerceObject, type Provider } from './provider.ts'

/** Reddit gives no addresses; `has_verified_email` only says that there is one. */
export const reddit: Provider = {
  id: 'reddit',
  endpoints: {
    issuer: 'https://www.reddit.com',
    authorization: 'https://www.reddit.com/api/v1/authorize',
    token: 'https://www.reddit.com/api/v1/access_token',
    userinfo: 'https://oauth.reddit.com/api/v1/me',
  },
  scopes: ['identity'],
  pkce: 'none',
  authentication: rawBasic,
  options: {
    DURATION: { expected: 'temporary or permanent', pattern: /^(temporary|permanent)$/ },
    USER_AGENT: { expected: 'a text like web:example.com:1.0 (by /u/you)', pattern: /^[\x21-\x7e][\x20-\x7e]{0,199}$/ },
  },
  // Without `permanent` there is no refresh token.
  parameters: ({ options }) => ({ duration: options.DURATION ?? 'permanent' }),
  // Reddit refuses the usual User-Agents of programs with 429.
  headers: ({ clientId, options }) => ({ 'user-agent': options.USER_AGENT ?? `web:postern.${clientId}:1.0` }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const { id, name, icon_img: icon } = coerceObject(await ask(userinfo))
    return { id, name, image: typeof icon === 'string' ? icon.replace(/\?.*$/s, '') : undefined }
  },
}
