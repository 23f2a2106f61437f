import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { IpRange } from '../limits/ip-address.ts'
import { isPublicAddress } from '../limits/ip-address.ts'

/** Every address of a name, as the system knows it. */
type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export interface DestinationOptions {
  /** Addresses as they stand in the settings: one with a literal IP address, or localhost, may be asked there. */
  readonly written?: readonly string[]
  /** Private networks whose hosts may be asked. */
  readonly networks?: readonly IpRange[]
  readonly resolve?: Resolve
}

/**
 * How the host of an address is looked up for a connection, which is made to what was looked up and to nothing else: a name
 * that points elsewhere a moment later changes nothing. Answers all addresses. Throws for an IP address that may not be asked.
 */
type LookupOf = (url: URL) => LookupFunction

/** Lets nobody have the service ask hosts of its own network, whatever a document of a provider or a name leads to. */
export function createLookup({ written = [], networks = [], resolve = resolveAll }: DestinationOptions): LookupOf {
  const own = new Set(written.map((text) => new URL(text)).flatMap((url) => (isLiteral(url) ? [url.origin] : [])))
  const mayAsk = (origin: string, address: string) =>
    own.has(origin) || isPublicAddress(address) || networks.some((holds) => holds(address))
  return ({ hostname, origin }) => {
    const literal = bare(hostname)
    if (isIP(literal) !== 0 && !mayAsk(origin, literal)) throw new DestinationError(literal, [literal])
    return callbackify(async (name: string, _options: LookupOptions) =>
      allowedOf(name, await resolve(name), (address) => mayAsk(origin, address)),
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

/** A host of our own network, which no setting names. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError'
  constructor(host: string, addresses: readonly string[]) {
    super(`${host} is not asked: ${addresses.join(', ')} is no public address, and not in OUTBOUND_PRIVATE_NETWORKS`)
  }
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** A name could be anybody's by the time that it is looked up; these two are what they say. */
const isLiteral = ({ hostname }: URL): boolean => isIP(bare(hostname)) !== 0 || hostname === 'localhost'
