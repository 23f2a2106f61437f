import { rawBasic } from './authentication.ts'
import { coerceObject, type Provider } from './provider.ts'

const query = 'user.fields=profile_image_url,confirmed_email'

export const twitter: Provider = {
  id: 'twitter',
  endpoints: {
    issuer: 'https://x.com',
    authorization: 'https://x.com/i/oauth2/authorize',
    token: 'https://api.x.com/2/oauth2/token',
    userinfo: 'https://api.x.com/2/users/me',
  },
  scopes: ['users.read', 'tweet.read', 'offline.access', 'users.email'],
  authentication: rawBasic,
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(coerceObject(await ask(`${userinfo}?${query}`)).data)
    const email = user.confirmed_email
    // Twitter only returns a confirmed address. `verified` is the badge and says nothing about the address.
    return {
      id: user.id,
      name: user.name,
      email,
      emailVerified: Boolean(email),
      image: user.profile_image_url,
    }
  },
}
