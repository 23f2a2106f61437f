import { type Provider, profileOfClaims } from './provider.ts'

/** Claims that Twitch only includes in id tokens when asked. */
const claims = { email: null, email_verified: null, picture: null, preferred_username: null }

export const twitch: Provider = {
  id: 'twitch',
  endpoints: {
    issuer: 'https://id.twitch.tv/oauth2',
    authorization: 'https://id.twitch.tv/oauth2/authorize',
    token: 'https://id.twitch.tv/oauth2/token',
    userinfo: 'https://id.twitch.tv/oauth2/userinfo',
    jwks: 'https://id.twitch.tv/oauth2/keys',
  },
  scopes: ['user:read:email', 'openid'],
  pkce: 'none',
  parameters: () => ({ claims: JSON.stringify({ id_token: claims }) }),
  tokenReply: (reply) => ({ token_type: 'bearer', ...reply }),
  idToken: {
    profile: (told) => ({ ...profileOfClaims(told), name: told.preferred_username }),
  },
}
