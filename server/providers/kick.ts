import { coerceObject, type Provider } from './provider.ts'

export const kick: Provider = {
  id: 'kick',
  endpoints: {
    issuer: 'https://id.kick.com',
    authorization: 'https://id.kick.com/oauth/authorize',
    token: 'https://id.kick.com/oauth/token',
    userinfo: 'https://api.kick.com/public/v1/users',
  },
  scopes: ['user:read'],
  tokenReply: (reply) => ({ token_type: 'bearer', ...reply }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const { data } = coerceObject(await ask(userinfo))
    const user = coerceObject(Array.isArray(data) ? data[0] : undefined)
    // Kick does not say whether it has verified the address.
    return { id: user.user_id, name: user.name, email: user.email, image: user.profile_picture }
  },
}
