import { serviceAddress } from '../../shared/service-address.ts'
import { isLoopback } from '../client/transport/address.ts'
import { serverError } from '../output/cli-error.ts'

/** The page as it is shown and opened: never a file, a script, a flag, or a sign that some program gives a meaning to. */
export function checkedPage(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPage = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (isPage && /^[\w\-.~:/?=&%[\]+,@]+$/.test(url.href)) return url
  throw serverError(`The service names an address that is no page: ${text.slice(0, 200)}`)
}

/** The same, of that service and nobody else. */
export function ownPage(text: string, server: string): string {
  const [page, own] = [checkedPage(text), new URL(server)]
  if (page.origin === own.origin || isThisMachine(page, own)) return page.href
  throw serverError(
    `${own.origin} names a page of another address: ${page.origin}`,
    `If it is the same service, ask it there: --url ${serviceAddress(page.origin + own.pathname)}`,
  )
}

/** This machine has several names. */
const isThisMachine = (one: URL, other: URL): boolean =>
  one.protocol === other.protocol && one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname)
