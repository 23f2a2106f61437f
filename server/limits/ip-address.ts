import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** An IP address in any legal spelling, IPv4-mapped IPv6 as IPv4; null for any other text. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.trim().replace(/%.*$/, '')
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare)
  return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null
}

/** The one spelling of an IP address; empty for any other text. */
export const spellingOf = remembered((text) => parseIpAddress(text)?.toString() ?? '')

/** What limits count as one network: an IPv4 address, or the /64 that one IPv6 subscriber has. All unknown ones share `unknown`. */
export const networkOf = remembered((text) => {
  const address = parseIpAddress(text)
  if (!address) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()
})

/** The /48 that one IPv6 customer may have, with 65,536 networks in it; empty for any other address, whose network is all it has. */
export const siteOf = remembered((text) => {
  const address = parseIpAddress(text)
  if (address?.kind() !== 'ipv6') return ''
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/48`).toString()
})

/** What stands for one person far away: the site of an IPv6 customer, else the network. */
export const subscriberOf = (text: string): string => siteOf(text) || networkOf(text)

/**
 * The same few addresses come again and again, and reading one costs as much as a tenth of a request. What is known is
 * forgotten as a whole when it is much: a flood of addresses fills no memory.
 */
function remembered(read: (text: string) => string): (text: string) => string {
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
 * The network whose share of a queue a client uses. Undefined for programs on this machine and for trusted servers: they
 * speak for many people at once.
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

/** Whether an address is in a range. */
export type IpRange = (address: string) => boolean

/** An address, or a CIDR range. Throws a sentence for anything else. */
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

/** An IPv4-mapped network counts its bits from the start of the IPv6 address. */
const mappedBits = (text: string, width: number): number => (width === 32 && text.includes(':') ? 96 : 0)

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Whether an address is a host of the internet: not private, of this machine or link, for many, or reserved; nor one that
 * stands for an IPv4 address behind a translator (NAT64, 6to4, Teredo), which may be any of these.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseIpAddress(text)
  if (address === null || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast)
}
