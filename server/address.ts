import ipaddr from 'ipaddr.js'
import type { Client } from './request.ts'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address in any legal spelling, IPv4-mapped IPv6 folded to IPv4; null when it is none. */
export function parseAddress(text: string): Address | null {
  const bare = text.trim().replace(/%.*$/, '')
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare)
  return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null
}

/** What counts as one neighbour: an IPv4 address, or the /64 that one IPv6 subscriber holds; one shared bucket when unknown. */
export function networkOf(text: string): string {
  const address = parseAddress(text)
  if (!address) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()
}

/**
 * The network whose share of a queue a client takes. Programs on this machine and trusted servers have none: they ask for
 * many people at once.
 */
export function shareOf({ address, isServer }: Pick<Client, 'address' | 'isServer'>): string | undefined {
  const parsed = parseAddress(address)
  return isServer || !parsed || parsed.range() === 'loopback' ? undefined : networkOf(address)
}
