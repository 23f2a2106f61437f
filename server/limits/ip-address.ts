import ipaddr from 'ipaddr.js'
import type { Client } from '../request/client.ts'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** An IP address in any legal spelling, IPv4-mapped IPv6 as IPv4; null for any other text. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.trim().replace(/%.*$/, '')
  if (ipaddr.IPv6.isValid(bare)) return ipaddr.process(bare)
  return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null
}

/** What limits count as one network: an IPv4 address, or the /64 that one IPv6 subscriber has. All unknown ones share `unknown`. */
export function networkOf(text: string): string {
  const address = parseIpAddress(text)
  if (!address) return 'unknown'
  if (address.kind() === 'ipv4') return address.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()
}

/**
 * The network whose share of a queue a client uses. Undefined for programs on this machine and for trusted servers: they
 * speak for many people at once.
 */
export function queueSenderOf({ address, isServer }: Pick<Client, 'address' | 'isServer'>): string | undefined {
  const parsed = parseIpAddress(address)
  return isServer || !parsed || parsed.range() === 'loopback' ? undefined : networkOf(address)
}
