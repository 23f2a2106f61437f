import { isIP } from 'node:net'

/** Whether a host of an address is this very machine, by its spelling: no name is looked up, and 0.0.0.0 is none. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
