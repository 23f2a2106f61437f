import { isPublicSuffix } from './sites.ts'

interface CookieSettings {
  readonly COOKIE_HOST_PREFIX: boolean
  readonly COOKIE_DOMAIN?: string | undefined
  readonly COOKIE_SAME_SITE: 'lax' | 'strict' | 'none'
}

/** Why browsers would refuse the cookies, one sentence each. */
export function cookieProblems(settings: CookieSettings, { protocol, hostname }: URL): string[] {
  const { COOKIE_HOST_PREFIX, COOKIE_DOMAIN: domain, COOKIE_SAME_SITE } = settings
  const isSecure = protocol === 'https:'
  const problems = domain === undefined ? [] : domainProblems(domain, hostname)
  if (COOKIE_HOST_PREFIX && !isSecure)
    problems.push('COOKIE_HOST_PREFIX is on: expected an https BASE_URL, since __Host- cookies need it')
  if (COOKIE_SAME_SITE === 'none' && !isSecure)
    problems.push('COOKIE_SAME_SITE is none: expected an https BASE_URL, since browsers refuse such cookies without it')
  if (domain !== undefined && COOKIE_HOST_PREFIX)
    problems.push(
      'COOKIE_DOMAIN and COOKIE_HOST_PREFIX are both set: expected one of them, since __Host- cookies have no domain',
    )
  return problems
}

function domainProblems(domain: string, host: string): string[] {
  const told = `COOKIE_DOMAIN is "${domain}"`
  if (host !== domain && !host.endsWith(`.${domain}`))
    return [`${told}: expected the host of BASE_URL or a parent of it, such as example.com for id.example.com`]
  return isPublicSuffix(domain)
    ? [`${told}: expected a domain of your own; browsers refuse cookies for one below which anybody can register`]
    : []
}
