import { coerceObject, type Provider } from './provider.ts'

export const dropbox: Provider = {
  id: 'dropbox',
  endpoints: {
    issuer: 'https://www.dropbox.com',
    authorization: 'https://www.dropbox.com/oauth2/authorize',
    token: 'https://api.dropboxapi.com/oauth2/token',
    userinfo: 'https://api.dropboxapi.com/2/users/get_current_account',
  },
  scopes: ['account_info.read'],
  options: { ACCESS_TYPE: { expected: 'online or offline', pattern: /^(online|offline)$/ } },
  // Without `offline` there is no refresh token.
  parameters: ({ options }) => ({ token_access_type: options.ACCESS_TYPE ?? 'offline' }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo, { method: 'POST' }))
    if (user.disabled === true) return null
    return {
      id: user.account_id,
      name: coerceObject(user.name).display_name,
      email: user.email,
      emailVerified: user.email_verified,
      image: user.profile_photo_url,
    }
  },
}
