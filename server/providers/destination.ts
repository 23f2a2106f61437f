import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { type IpRange, isPublicAddress } from '../limits/ip-address.ts'

/** All addresses of a name, by the system's resolver. */
type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface DestinationOptions {
  /** Addresses from the settings. One with a literal IP address or localhost may be requested. */
  readonly written?: readonly string[]
  /** Private networks whose hosts may be requested. */
  readonly networks?: readonly IpRange[]
  readonly resolve?: Resolve
  /** Whether hosts that are not in these networks are requested by https only. */
  readonly needsTls?: boolean
}

/**
 * How a connection resolves the host of an address. It connects to exactly what was resolved, so a name that changes a
 * moment later makes no difference (DNS rebinding). Returns all addresses. Throws for an IP address that is not
 * allowed.
 */
type LookupOf = (url: URL) => LookupFunction

/** Prevents requests to hosts of our own network, whatever a provider's document or a name leads to (SSRF). */
export function createProtectedLookup({
  written = [],
  networks = [],
  resolve = resolveAll,
  needsTls = false,
}: DestinationOptions): LookupOf {
  const own = new Set(written.map((text) => new URL(text)).flatMap((url) => (isLiteral(url) ? [url.origin] : [])))
  const mayAsk = ({ origin, protocol }: URL, address: string) =>
    own.has(origin) ||
    (isPublicAddress(address) && (!needsTls || protocol === 'https:')) ||
    networks.some((holds) => holds(address))
  return (url) => {
    const literal = bare(url.hostname)
    if (isIP(literal) !== 0 && !mayAsk(url, literal)) throw new DestinationError(literal, [literal])
    return callbackify(async (name: string, _options: LookupOptions) =>
      allowedOf(name, await resolve(name), (address) => mayAsk(url, address)),
    )
  }
}

const resolveAll: Resolve = (hostname) => systemLookup(hostname, { all: true })

function allowedOf(
  name: string,
  found: readonly LookupAddress[],
  mayAsk: (address: string) => boolean,
): LookupAddress[] {
  const allowed = found.filter(({ address }) => mayAsk(address))
  if (allowed.length > 0) return allowed
  throw new DestinationError(
    name,
    found.map(({ address }) => address),
  )
}

/** A host on our own network that no setting allows. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError'
  constructor(host: string, addresses: readonly string[]) {
    super(`${host} is not asked: ${addresses.join(', ')} is no public address, and not in OUTBOUND_PRIVATE_NETWORKS`)
  }
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** A name may resolve to anything by the time it is used; a literal address and localhost cannot. */
const isLiteral = ({ hostname }: URL): boolean => isIP(bare(hostname)) !== 0 || hostname === 'localhost'
