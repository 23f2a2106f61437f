import { type IpRange, parseIpRange } from '../limits/ip-range.ts'

/** Whether a peer's address is a proxy whose X-Forwarded-For counts. */
export type TrustedProxy = IpRange

/** One entry of TRUSTED_PROXIES: an address or a CIDR range. */
export const parseProxies: (entry: string) => TrustedProxy = parseIpRange
