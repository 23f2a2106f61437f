import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** Parses an IP address in any legal spelling, IPv4-mapped IPv6 as IPv4. Null for any other text. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.trim().replace(/%.*$/, '')
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare)
  return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null
}

/** The canonical spelling of an IP address. Empty for any other text. */
export const canonicalIpAddress = cachedByText((text) => parseIpAddress(text)?.toString() ?? '')

/**
 * The network by which limits count: an IPv4 address, or the /64 of one IPv6 subscriber. All unknown addresses share
 * `unknown`.
 */
export const networkOf = cachedByText((text) => {
  const address = parseIpAddress(text)
  if (!address) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()
})

/**
 * The /48 that one IPv6 customer may have, which holds 65,536 networks. Empty for any other address, where the network
 * is everything.
 */
export const siteOf = cachedByText((text) => {
  const address = parseIpAddress(text)
  if (address?.kind() !== 'ipv6') return ''
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/48`).toString()
})

/** Stands for one remote subscriber: the site of an IPv6 customer, or else the network. */
export const subscriberOf = (text: string): string => siteOf(text) || networkOf(text)

/**
 * Caches results: the same few addresses recur, and parsing one costs as much as a tenth of a request. A full cache is
 * emptied, so a flood of addresses cannot fill the memory.
 */
function cachedByText(read: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= 1000) known.clear()
    const made = read(text)
    known.set(text, made)
    return made
  }
}

/**
 * The network whose share of a queue a client uses. Undefined for programs on this machine and for trusted servers,
 * which act for many people at once.
 */
export function queueSenderOf({
  address,
  isServer,
}: {
  readonly address: string
  readonly isServer: boolean
}): string | undefined {
  const parsed = parseIpAddress(address)
  return isServer || !parsed || parsed.range() === 'loopback' ? undefined : networkOf(address)
}

/** Returns whether an address is in the range. */
export type IpRange = (address: string) => boolean

/** Parses an address or a CIDR range. Throws an explanatory error for anything else. */
export function parseIpRange(entry: string): IpRange {
  const range = parseRange(entry)
  return (text) => {
    const address = parseIpAddress(text)
    return address !== null && address.kind() === range[0].kind() && address.match(range)
  }
}

const entryPattern = /^([^/]+)(?:\/(\d{1,3}))?$/

function parseRange(entry: string): [IpAddress, number] {
  const [, text = '', bits] = entryPattern.exec(entry) ?? []
  const address = parseIpAddress(text)
  const width = address?.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? width : Number(bits) - mappedBits(text, width)
  if (!address || length < 0 || length > width) throw new Error('an IP address or a range like 10.0.0.0/8')
  return [address, length]
}

/** The prefix length of an IPv4-mapped network counts from the start of the IPv6 address. */
const mappedBits = (text: string, width: number): number => (width === 32 && text.includes(':') ? 96 : 0)

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Returns whether an address is a public internet host: not private, loopback, link-local, multicast or reserved. Nor
 * one that stands for an IPv4 address behind a translator (NAT64, 6to4, Teredo), which could be any of these.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseIpAddress(text)
  if (address === null || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}
