import { checkBase } from '../client/transport/address.ts'

export interface ServiceAddress {
  /** Scheme, host and port: what a jar belongs to. */
  readonly origin: string
  /** The origin with the base path, without a slash at the end. */
  readonly base: string
}

/** The service's address, checked (exit 2); without a path the default prefix is added. */
export function parseServiceAddress(text: string): ServiceAddress {
  const { origin, pathname } = checkBase(text)
  return { origin, base: origin + (pathname.replace(/\/+$/, '') || '/api/auth') }
}
