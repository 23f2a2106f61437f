import { AnswerError, type Json, type Profile, type Provider, type Registration } from './provider.ts'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The tenant of all personal accounts. */
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'

const base = 'https://login.microsoftonline.com'
const scopes = ['openid', 'profile', 'email', 'User.Read', 'offline_access']

/** Entra ID, for one tenant or many. */
export const microsoft: Provider = {
  id: 'microsoft',
  endpoints: (registration) => {
    const tenant = tenantOf(registration)
    return {
      // Microsoft's placeholder for multi-tenant applications: each token names its own tenant.
      issuer: `${base}/{tenantid}/v2.0`,
      authorization: `${base}/${tenant}/oauth2/v2.0/authorize`,
      token: `${base}/${tenant}/oauth2/v2.0/token`,
      userinfo: 'https://graph.microsoft.com/v1.0/me',
      jwks: `${base}/${tenant}/discovery/v2.0/keys`,
    }
  },
  isIssuer: (iss, { issuer }) => iss === issuerOf(issuer, tenantIn(iss)),
  scopes,
  options: {
    TENANT: {
      expected: 'common, organizations, consumers or the id of a tenant',
      pattern: new RegExp(`^(common|organizations|consumers)$|${guid.source}`, 'i'),
    },
    PROMPT: { expected: 'login, consent or select_account', pattern: /^(login|consent|select_account)$/ },
  },
  parameters: ({ options }, { loginHint }) => ({
    response_mode: 'query',
    login_hint: loginHint,
    prompt: options.PROMPT,
  }),
  // The new tokens are valid for the scopes named here, so those that the application added are named too.
  refresh: {
    parameters: ({ scopes: granted = [] }, registration) => ({
      scope: [...new Set([...(registration.scopes ?? scopes), ...granted])].join(' '),
    }),
  },
  idToken: {
    issuers: ({ issuer }, { tid }) => (isGuid(tid) ? [issuerOf(issuer, tid)] : []),
    accepts: ({ tid }, registration) => isGuid(tid) && isOfTenant(tid.toLowerCase(), tenantOf(registration)),
    profile: profileOf,
  },
  async profile({ claims, ask, endpoints }) {
    if (!claims) return null
    const photo = `${endpoints.userinfo}/photos/48x48/$value`
    // Many users have no picture (404), and neither a missing nor an unreadable one must refuse a sign-in.
    const unread = (error: unknown) => ({ isImageUnread: !(error instanceof AnswerError && error.status === 404) })
    const picture = await ask(photo, { isPicture: true }).then((image) => ({ image }), unread)
    return { ...profileOf(claims), ...picture }
  },
}

const tenantOf = ({ options }: Registration): string => (options.TENANT ?? 'common').toLowerCase()

/** The issuer of one tenant. */
const issuerOf = (issuer: string, tid: string): string => issuer.replace('{tenantid}', tid.toLowerCase())

const tenantIn = (iss: string): string => iss.split('/').find(isGuid) ?? ''

const isGuid = (value: unknown): value is string => typeof value === 'string' && guid.test(value)

function isOfTenant(tid: string, tenant: string): boolean {
  if (tenant === 'common') return true
  if (tenant === 'organizations') return tid !== consumers
  return tid === (tenant === 'consumers' ? consumers : tenant)
}

/**
 * A tenant's administrator can write any address, so it counts only when Microsoft states that its domain belongs to
 * the tenant.
 */
function profileOf(claims: Json): Profile {
  const { sub, name, email, xms_edov: isOwnDomain } = claims
  const isOwned = isOwnDomain === true || isOwnDomain === 1 || isOwnDomain === '1' || isOwnDomain === 'true'
  const emailVerified = isOwned || lists(claims, 'verified_primary_email') || lists(claims, 'verified_secondary_email')
  return { id: sub, name, email, emailVerified }
}

const lists = (claims: Json, name: string): boolean => {
  const listed = claims[name]
  return Array.isArray(listed) && listed.includes(claims.email)
}
