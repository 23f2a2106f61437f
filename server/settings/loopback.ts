import { isIP } from 'node:net'

/** Whether a host name means this machine, by its spelling only: names are not resolved, and 0.0.0.0 does not count. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
