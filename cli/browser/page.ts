import { isLoopback } from '../../shared/loopback.ts'
import { serviceAddress } from '../../shared/service-address.ts'
import { serverError } from '../output/cli-error.ts'

/** No page has a longer address, and to parse one can take minutes, during which Ctrl+C does nothing. */
const longestAddress = 8192

/** Validates a page before it is shown or opened: no file, script, flag or shell metacharacter. */
export function validatePageUrl(text: string): URL {
  const url = text.length <= longestAddress && URL.canParse(text) ? new URL(text) : undefined
  const isPage = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (isPage && /^[\w\-.~:/?=&%[\]+,@]+$/.test(url.href)) return url
  throw serverError(`The service sent an address that cannot be opened: ${text.slice(0, 200)}`)
}

/** Like `validatePageUrl`, but the page must also be on the given service. */
export function validateServicePage(text: string, server: string): string {
  const [page, own] = [validatePageUrl(text), new URL(server)]
  if (page.origin === own.origin || isThisMachine(page, own)) return page.href
  throw serverError(
    `${own.origin} sent a page at another address: ${page.origin}`,
    `If it is the same service, use that address: --url ${serviceAddress(page.origin + own.pathname)}`,
  )
}

/** localhost, 127.0.0.1 and [::1] all name this machine. */
const isThisMachine = (one: URL, other: URL): boolean =>
  one.protocol === other.protocol && one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname)
