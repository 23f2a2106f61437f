import type { Context } from 'hono'
import { Failure, redirectFields } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'
import type { Config } from '../config.ts'
import type { HonoEnv } from './request-state.ts'
import type { Trust } from './trust.ts'

/**
 * Refuses a POST that a foreign page may have sent: a given Origin or Referer has to be trusted; without
 * both, Fetch Metadata decides; without that too it is no browser. A bearer-only call carries nothing that a browser adds.
 */
export function guardOrigin(c: Context<HonoEnv>, { STRICT_ORIGIN }: Config, trust: Trust): void {
  // Other kinds of Authorization a browser may add by itself.
  if (/^bearer /i.test(c.req.header('authorization') ?? '') && c.req.header('cookie') === undefined) return
  const source = c.req.header('origin') ?? c.req.header('referer')
  const isAllowed =
    source === undefined ? isOwnSite(c.req.header('sec-fetch-site'), STRICT_ORIGIN) : trust.isTrustedOrigin(source)
  if (!isAllowed) throw new Failure('INVALID_ORIGIN')
}

/**
 * For the form of a page of ours, which any browser's form could imitate: only from our own origin, as the browser itself
 * says it. Who says nothing is refused too, and no other trusted origin counts.
 */
export function guardOwnPage(c: Context<HonoEnv>, { BASE_URL }: Config): void {
  const origin = c.req.header('origin')
  const isOwn = origin === undefined ? c.req.header('sec-fetch-site') === 'same-origin' : origin === BASE_URL.origin
  if (!isOwn) throw new Failure('INVALID_ORIGIN')
}

const isOwnSite = (site: string | undefined, isStrict: boolean): boolean =>
  site === undefined ? !isStrict : site === 'same-origin' || site === 'none'

/** Refuses redirect targets that are not ours, whether or not the call uses them. */
export function guardRedirects(input: Record<string, unknown>, query: Record<string, string>, trust: Trust): void {
  for (const field of redirectFields) {
    const target = input[field] ?? query[field]
    if (target === undefined || target === null || target === '') continue
    if (typeof target !== 'string') throw new Failure('INVALID_BODY', { details: [inputProblem([field], 'a text')] })
    if (!trust.isSafeTarget(target)) throw new Failure('INVALID_REDIRECT_TARGET', { field })
  }
}
