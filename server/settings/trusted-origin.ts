import { isOpenToAll } from './sites.ts'

/** Whether an absolute address belongs to this entry of TRUSTED_ORIGINS. */
type TrustedOrigin = (target: URL) => boolean

const wildcard = /^(?:(https?):\/\/)?\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(\d+))?$/i

/** One entry of TRUSTED_ORIGINS: an origin, `*.example.com` with or without a scheme, or a custom scheme. */
export function parseTrustedOrigin(entry: string): TrustedOrigin {
  if (entry.includes('*')) return parseWildcard(entry)
  const url = parseUrl(entry)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return customScheme(url)
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error(`an origin like ${url.origin}, without path, query or user`)
  return (target) => target.origin === url.origin
}

function parseUrl(entry: string): URL {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(entry) || !URL.canParse(entry))
    throw new Error('an origin like https://app.example.com')
  return new URL(entry)
}

/** The `*` has to be the complete leftmost label. It matches one or more labels. */
function parseWildcard(entry: string): TrustedOrigin {
  const match = wildcard.exec(entry)
  if (!match) throw new Error('a `*` only as the whole leftmost label, like https://*.example.com')
  const [, scheme, suffix = '', port = ''] = match
  if (isOpenToAll(suffix.toLowerCase()))
    throw new Error(`names below a domain of your own: anybody can register one below ${suffix}`)
  return (target) =>
    /^https?:$/.test(target.protocol) &&
    (!scheme || target.protocol === `${scheme.toLowerCase()}:`) &&
    target.port === withoutDefault(target.protocol, port) &&
    areLabels(target.hostname, `.${suffix.toLowerCase()}`)
}

const areLabels = (host: string, suffix: string): boolean =>
  host.endsWith(suffix) && /^[^.]+(\.[^.]+)*$/.test(host.slice(0, -suffix.length))

const withoutDefault = (protocol: string, port: string): string =>
  (protocol === 'https:' && port === '443') || (protocol === 'http:' && port === '80') ? '' : port

/**
 * The scheme has to be equal. If the entry has an authority or a path, they have to match: an equal authority, and an
 * equal or nested path.
 */
const customScheme = (entry: URL): TrustedOrigin => {
  if (['javascript:', 'data:', 'file:', 'vbscript:', 'blob:'].includes(entry.protocol))
    throw new Error('no scheme that runs or reads code')
  return (target) =>
    target.protocol === entry.protocol &&
    (entry.host === '' || target.host === entry.host) &&
    isNested(target.pathname, entry.pathname)
}

function isNested(path: string, parent: string): boolean {
  const base = parent.replace(/\/$/, '')
  return base === '' || path === base || path.startsWith(`${base}/`)
}
