import { coerceObject, type Endpoints, type Json, type Profile, type Provider, profileOfClaims } from './provider.ts'

export const gitlab: Provider = {
  id: 'gitlab',
  endpoints: ({ overrides }) => endpointsOf(overrides.issuer ?? 'https://gitlab.com'),
  scopes: ['read_user'],
  parameters: (_registration, { loginHint }) => ({ login_hint: loginHint }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = coerceObject(await ask(userinfo))
    // Without an id: GITLAB_USERINFO_URL is the OpenID endpoint, for the scopes `openid profile email`.
    return user.id === undefined ? profileOfClaims(user) : ofUser(user)
  },
}

/** Works for self-hosted GitLab too, also below a path. */
function endpointsOf(issuer: string): Endpoints {
  const base = issuer.replace(/\/+$/, '')
  return {
    issuer,
    authorization: `${base}/oauth/authorize`,
    token: `${base}/oauth/token`,
    userinfo: `${base}/api/v4/user`,
  }
}

/** The profile from GitLab's API. Null for users who are blocked or locked there. */
function ofUser({ id, name, username, email, confirmed_at: confirmedAt, ...user }: Json): Profile | null {
  if (user.state !== 'active' || user.locked === true) return null
  const emailVerified = typeof confirmedAt === 'string' && confirmedAt !== ''
  return { id, name: name || username, email, emailVerified, image: user.avatar_url }
}
