import { getDomain, getPublicSuffix, parse } from 'tldts'
import { list } from './fields.ts'

/** Browsers count suffixes like github.io too, below which strangers have their pages. */
const asBrowsers = { allowPrivateDomains: true }

/** Whether strangers can register names below this domain, so that browsers refuse cookies for it. */
export const isPublicSuffix = (domain: string): boolean => getPublicSuffix(domain, asBrowsers) === domain

/** Of home networks (RFC 8375), though the list has it. */
const homeNetworks = 'home.arpa'

/** The same, but only where it is known: a name that the list lacks may be one of a private network. */
export function isOpenToAll(domain: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(domain, asBrowsers)
  return publicSuffix === domain && domain !== homeNetworks && (isIcann === true || isPrivate === true)
}

/** What browsers compare when they decide whether a SameSite cookie is sent. */
const siteOf = ({ protocol, hostname }: URL): string => `${protocol}//${getDomain(hostname, asBrowsers) ?? hostname}`

/**
 * The entries of TRUSTED_ORIGINS whose pages are of another site than the service. Apps with a custom scheme have none.
 */
export const crossSiteOrigins = (trustedOrigins: string, base: URL): readonly string[] =>
  list.parse(trustedOrigins).filter((entry) => {
    const text = entry.replace('*', 'any')
    const url = new URL(text.includes('://') ? text : `${base.protocol}//${text}`)
    return /^https?:$/.test(url.protocol) && siteOf(url) !== siteOf(base)
  })
