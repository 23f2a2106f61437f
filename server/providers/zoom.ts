import { rawBasic } from './authentication.ts'
import { coerceObject, joinNameParts, type Provider } from './provider.ts'

export const zoom: Provider = {
  id: 'zoom',
  endpoints: {
    issuer: 'https://zoom.us',
    authorization: 'https://zoom.us/oauth/authorize',
    token: 'https://zoom.us/oauth/token',
    userinfo: 'https://api.zoom.us/v2/users/me',
  },
  // Scopes are chosen in Zoom's registration of the application.
  scopes: [],
  authentication: rawBasic,
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo))
    if (user.status !== 'active') return null
    return {
      id: user.id,
      name: user.display_name || joinNameParts(user.first_name, user.last_name),
      email: user.email,
      // Set when the user opens the activation mail. Users who joined in another way may not have it.
      emailVerified: user.verified === 1,
      image: user.pic_url,
    }
  },
}
