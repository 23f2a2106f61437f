import ipaddr from 'ipaddr.js'
import { parseIpAddress } from './ip-address.ts'

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
