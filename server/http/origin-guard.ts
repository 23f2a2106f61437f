import type { Context } from 'hono'
import { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import type { HonoEnv } from './request-state.ts'
import type { TrustedOrigins } from './trusted-origins.ts'

/** What of the edge decides which pages may send requests. */
interface OriginRules {
  readonly config: Pick<Config, 'BASE_URL' | 'STRICT_ORIGIN'>
  readonly trust: TrustedOrigins
}

/**
 * Whether a foreign page may have sent the request. An Origin or Referer has to be trusted. Without both, Fetch Metadata
 * decides. Without that too, the client is not a browser. A call with only a bearer token carries nothing that a browser
 * adds by itself.
 */
export function isForeign({ req }: Context<HonoEnv>, { config, trust }: OriginRules): boolean {
  // A browser may add other kinds of Authorization by itself.
  if (/^bearer /i.test(req.header('authorization') ?? '') && req.header('cookie') === undefined) return false
  const source = req.header('origin') ?? req.header('referer')
  if (source !== undefined) return !trust.isTrustedOrigin(source)
  // Only a client that sends something knows to name its own origin.
  return !isOwnSite(req.header('sec-fetch-site'), config.STRICT_ORIGIN && req.method === 'POST')
}

const isOwnSite = (site: string | undefined, isStrict: boolean): boolean =>
  site === undefined ? !isStrict : site === 'same-origin' || site === 'none'

export function guardOrigin(c: Context<HonoEnv>, rules: OriginRules): void {
  if (isForeign(c, rules)) throw new Failure('INVALID_ORIGIN')
}

/**
 * For forms of our own pages, which any page's form could imitate. The browser itself has to name our own origin; a
 * missing origin is refused, and other trusted origins do not count.
 */
export function guardOwnPage({ req }: Context<HonoEnv>, { config }: OriginRules): void {
  const origin = req.header('origin')
  const isOwn =
    origin === undefined ? req.header('sec-fetch-site') === 'same-origin' : origin === config.BASE_URL.origin
  if (!isOwn) throw new Failure('INVALID_ORIGIN')
}
