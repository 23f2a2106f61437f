import ipaddr from 'ipaddr.js'
import { type Address, parseAddress } from './address.ts'

/** Says whether a peer's address is a proxy whose X-Forwarded-For counts. */
export type TrustedProxy = (address: string) => boolean

/** One entry of TRUSTED_PROXIES: an address or a CIDR range. */
export function parseProxies(entry: string): TrustedProxy {
  const range = parseRange(entry)
  return (text) => {
    const address = parseAddress(text)
    return address !== null && address.kind() === range[0].kind() && address.match(range)
  }
}

function parseRange(entry: string): [Address, number] {
  try {
    return entry.includes('/') ? ipaddr.parseCIDR(entry) : hostRange(ipaddr.process(entry))
  } catch {
    throw new Error('an IP address or a range like 10.0.0.0/8')
  }
}

const hostRange = (address: Address): [Address, number] => [address, address.kind() === 'ipv4' ? 32 : 128]
