import { type IpAddress, parseIpAddress } from './ip-address.ts'

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
