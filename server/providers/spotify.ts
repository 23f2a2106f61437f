import { rawBasic } from './authentication.ts'
import { coerceObject, type Provider } from './provider.ts'

export const spotify: Provider = {
  id: 'spotify',
  endpoints: {
    issuer: 'https://accounts.spotify.com',
    authorization: 'https://accounts.spotify.com/authorize',
    token: 'https://accounts.spotify.com/api/token',
    userinfo: 'https://api.spotify.com/v1/me',
  },
  scopes: ['user-read-email'],
  authentication: rawBasic,
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo))
    const [image] = Array.isArray(user.images) ? user.images : []
    // Spotify itself says that it has not verified the address.
    return { id: user.id, name: user.display_name, email: user.email, image: coerceObject(image).url }
  },
}
