import { providerNames } from '../../shared/providers.ts'
import { secretInBody } from './authentication.ts'
import type { Endpoints, Json, Profile, Provider } from './provider.ts'
import { membersOf } from './provider.ts'

export const gitlab: Provider = {
  id: 'gitlab',
  name: providerNames.gitlab,
  endpoints: ({ overrides }) => endpointsOf(overrides.issuer ?? 'https://gitlab.com'),
  scopes: ['read_user'],
  pkce: 'S256',
  authentication: secretInBody,
  parameters: (_registration, { loginHint }) => ({ login_hint: loginHint }),
  async profile({ ask, endpoints: { userinfo = '' } }) {
    const user = membersOf(await ask(userinfo))
    return user.id === undefined ? ofUserinfo(user) : ofUser(user)
  },
}

/** Of one's own GitLab too, which may live in a folder. */
function endpointsOf(issuer: string): Endpoints {
  const base = issuer.replace(/\/+$/, '')
  return {
    issuer,
    authorization: `${base}/oauth/authorize`,
    token: `${base}/oauth/token`,
    userinfo: `${base}/api/v4/user`,
  }
}

/** What its API says. Whoever is blocked or locked there is let in nowhere else. */
function ofUser({ id, name, username, email, confirmed_at: confirmedAt, ...user }: Json): Profile | null {
  if (user.state !== 'active' || user.locked === true) return null
  const emailVerified = typeof confirmedAt === 'string' && confirmedAt !== ''
  return { id, name: name || username, email, emailVerified, image: user.avatar_url }
}

/** What GITLAB_USERINFO_URL says when it is that of OpenID, for the scopes `openid profile email`. */
const ofUserinfo = ({ sub, name, email, email_verified: emailVerified, picture }: Json): Profile => ({
  id: sub,
  name,
  email,
  emailVerified,
  image: picture,
})
