import { idListOption, type Provider, profileOfClaims, splitIds } from './provider.ts'

export const google: Provider = {
  id: 'google',
  endpoints: {
    issuer: 'https://accounts.google.com',
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    userinfo: 'https://openidconnect.googleapis.com/v1/userinfo',
    jwks: 'https://www.googleapis.com/oauth2/v3/certs',
  },
  scopes: ['openid', 'email', 'profile'],
  options: {
    AUDIENCES: idListOption('client ids of your other applications'),
    HOSTED_DOMAIN: { expected: 'a domain like example.com, or * for any Workspace', pattern: /^(\*|[a-z0-9.-]+)$/i },
    ACCESS_TYPE: { expected: 'online or offline', pattern: /^(online|offline)$/ },
    PROMPT: { expected: 'none, consent or select_account', pattern: /^(none|consent|select_account)$/ },
  },
  parameters: ({ options }, { loginHint }) => ({
    login_hint: loginHint,
    hd: options.HOSTED_DOMAIN,
    access_type: options.ACCESS_TYPE,
    prompt: options.PROMPT,
  }),
  idToken: {
    // Google writes its issuer with and without the scheme.
    issuers: ({ issuer }) => [issuer, issuer.replace(/^https:\/\//, '')],
    audiences: ({ options }) => splitIds(options.AUDIENCES),
    isForSignIn: true,
    // The `hd` parameter is a hint that a user can remove, so the claim is checked.
    accepts: ({ hd }, { options: { HOSTED_DOMAIN: domain } }) =>
      domain === undefined || (domain === '*' ? typeof hd === 'string' && hd !== '' : hd === domain.toLowerCase()),
    profile: profileOfClaims,
  },
}
