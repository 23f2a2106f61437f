import type { Config } from '../config.ts'
import { verifierOf } from '../crypto/keys.ts'
import { rememberVerified } from '../crypto/verified-texts.ts'
import { cookieSecurityOf } from './cookie-security.ts'
import { soleValue, splitSigned, valuesOf } from './cookie-values.ts'

/** What a client of the service from which people moved in still sends: good for an imported session alone. */
interface ImportedCredential {
  readonly token: string
  /** Whether the session was not to be remembered. */
  readonly isForgetful: boolean
}

/** The cookies and bearer values that better-auth signed before the move. */
export interface ImportedCookie {
  readonly readImported: (header: string, bearer: string) => ImportedCredential | null
  /** The lines that remove those of a header, whichever domain they were set for. */
  readonly clearImported: (header: string) => string[]
}

type Settings = Pick<
  Config,
  'IMPORTED_SECRET' | 'IMPORTED_COOKIE' | 'BASE_URL' | 'COOKIE_HOST_PREFIX' | 'COOKIE_DOMAIN' | 'COOKIE_SAME_SITE'
>

const nothing: ImportedCookie = { readImported: () => null, clearImported: () => [] }

/** Its session tokens are as long as this, unsigned as its bearer plugin takes them. */
const rawToken = /^[A-Za-z0-9]{32}$/
/** About 1 MB. */
const rememberedTokens = 2000

/** With IMPORTED_SECRET unset nothing is read. `own`: how names of our cookies begin, which are never removed here. */
export function importedCookie(config: Settings, own: string): ImportedCookie {
  if (config.IMPORTED_SECRET === undefined) return nothing
  const name = config.IMPORTED_COOKIE
  const forgetful = name.replace(/session_token$/, 'dont_remember')
  const verifier = verifierOf(config.IMPORTED_SECRET)
  const verify = (text: string) => {
    const read = splitSigned(text)
    return read && verifier.verifies(read.value, read.mac) ? read.value : null
  }
  const readToken = rememberVerified(rememberedTokens, verify)
  const readBearer = (text: string) => (rawToken.test(text) ? text : text === '' ? null : readToken(text))
  const readCookie = (header: string) => (header.includes(name) ? soleValue(valuesOf(header, name), readToken) : null)
  const names = [...new Set([name, forgetful].flatMap(spellingsOf))].filter((each) => !each.startsWith(own))
  const ends = domainsOf(config).map(
    (domain) => cookieSecurityOf({ ...config, COOKIE_DOMAIN: domain }).redirectAttributes,
  )
  return {
    readImported(header, bearer) {
      const token = readBearer(bearer) ?? readCookie(header)
      if (token === null) return null
      return { token, isForgetful: soleValue(valuesOf(header, forgetful), verify) === 'true' }
    },
    clearImported: (header) =>
      names
        .filter((each) => valuesOf(header, each).length > 0)
        .flatMap((each) => ends.map((end) => `${each}=; Max-Age=0${end}`)),
  }
}

/** One may be left from before https. */
const spellingsOf = (name: string): readonly string[] => {
  const bare = name.replace(/^__(?:Secure|Host)-/, '')
  return [name, bare, `__Secure-${bare}`]
}

/**
 * A Cookie header does not tell for which domain a cookie was set: perhaps for one that this host shares with others.
 * Browsers ignore the line for a domain under which anybody can have a name.
 */
function domainsOf({ BASE_URL: { hostname }, COOKIE_DOMAIN: domain }: Settings): readonly (string | undefined)[] {
  const labels = /^[\d.]+$|:/.test(hostname) ? [] : hostname.split('.')
  const shared = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
  return [domain, ...shared.filter((each) => each !== domain)]
}
