import { coerceObject, type Provider } from './provider.ts'

/** Roblox gives addresses to its own applications only. */
export const roblox: Provider = {
  id: 'roblox',
  endpoints: {
    issuer: 'https://apis.roblox.com/oauth/',
    authorization: 'https://apis.roblox.com/oauth/v1/authorize',
    token: 'https://apis.roblox.com/oauth/v1/token',
    userinfo: 'https://apis.roblox.com/oauth/v1/userinfo',
    jwks: 'https://apis.roblox.com/oauth/v1/certs',
  },
  scopes: ['openid', 'profile'],
  options: {
    PROMPT: {
      expected: 'none, login, consent or select_account, or several with spaces between them',
      pattern: /^(none|(login|consent|select_account)( (login|consent|select_account))*)$/,
    },
  },
  parameters: ({ options }) => ({ prompt: options.PROMPT ?? 'select_account consent' }),
  idToken: { algorithms: ['ES256'], profile: ({ sub }) => ({ id: sub }) },
  async profile({ ask, claims, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo))
    // OpenID Connect Core 5.3.2: an answer about another subject must not be used.
    if (user.sub !== claims?.sub) return null
    return { id: user.sub, name: user.nickname || user.preferred_username, image: user.picture }
  },
}
