import type { Config } from '../config.ts'

type CookieSettings = Pick<Config, 'BASE_URL' | 'COOKIE_HOST_PREFIX' | 'COOKIE_DOMAIN' | 'COOKIE_SAME_SITE'>

interface CookieSecurity {
  /** What every cookie's name begins with. */
  readonly prefix: string
  /** What a cookie's line ends with. */
  readonly attributes: string
  /** The same for cookies that a browser has to send when it comes back from a provider. */
  readonly redirectAttributes: string
  /** The same for a cookie that scripts of a page read. */
  readonly readableAttributes: string
}

const attributesFor = { lax: '; SameSite=Lax', strict: '; SameSite=Strict', none: '; SameSite=None; Partitioned' }
// A provider's page leads back from another site, where Strict is not sent, and opens another partition.
const redirectAttributesFor = { lax: '; SameSite=Lax', strict: '; SameSite=Lax', none: '; SameSite=None' }

export function cookieSecurityOf(config: CookieSettings): CookieSecurity {
  const { BASE_URL, COOKIE_HOST_PREFIX, COOKIE_DOMAIN, COOKIE_SAME_SITE } = config
  const isSecure = BASE_URL.protocol === 'https:'
  const always = `${domainAttribute(COOKIE_DOMAIN)}; Path=/; HttpOnly${isSecure ? '; Secure' : ''}`
  const attributes = `${always}${attributesFor[COOKIE_SAME_SITE]}`
  return {
    prefix: isSecure ? (COOKIE_HOST_PREFIX ? '__Host-' : '__Secure-') : '',
    attributes,
    readableAttributes: attributes.replace('; HttpOnly', ''),
    redirectAttributes: `${always}${redirectAttributesFor[COOKIE_SAME_SITE]}`,
  }
}

const domainAttribute = (domain: string | undefined): string => (domain === undefined ? '' : `; Domain=${domain}`)

/**
 * With COOKIE_DOMAIN, each line preceded by one that removes the host-only cookie of the same name. A browser that kept
 * one from before would send both. Removed first, since old clients cannot tell the two apart.
 */
export const removingHostOnly = (lines: readonly string[], { COOKIE_DOMAIN }: CookieSettings): readonly string[] =>
  COOKIE_DOMAIN === undefined
    ? lines
    : lines.flatMap((line) => [...(isFor(line, COOKIE_DOMAIN) ? [hostOnlyRemoval(line, COOKIE_DOMAIN)] : []), line])

const isFor = (line: string, domain: string): boolean => line.includes(`${domainAttribute(domain)};`)

const hostOnlyRemoval = (line: string, domain: string): string =>
  line.replace(/=[^;]*(?:; Max-Age=\d+)?/, '=; Max-Age=0').replace(domainAttribute(domain), '')
