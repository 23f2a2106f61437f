import { coerceBoolean, type Provider, profileOfClaims } from './provider.ts'

export const linkedin: Provider = {
  id: 'linkedin',
  endpoints: {
    issuer: 'https://www.linkedin.com/oauth',
    authorization: 'https://www.linkedin.com/oauth/v2/authorization',
    token: 'https://www.linkedin.com/oauth/v2/accessToken',
    userinfo: 'https://api.linkedin.com/v2/userinfo',
    jwks: 'https://www.linkedin.com/oauth/openid/jwks',
  },
  scopes: ['openid', 'profile', 'email'],
  // With a verifier, LinkedIn answers `invalid_client`.
  pkce: 'none',
  parameters: (_registration, { loginHint }) => ({ login_hint: loginHint }),
  // LinkedIn's replies have no token_type.
  tokenReply: (reply) => ({ token_type: 'bearer', ...reply }),
  idToken: {
    // LinkedIn changed its issuer, and both occur.
    issuers: ({ issuer }) => [issuer, issuer.replace(/\/oauth$/, '')],
    nonce: 'none',
    profile: (claims) => ({ ...profileOfClaims(claims), emailVerified: coerceBoolean(claims.email_verified) }),
  },
}
