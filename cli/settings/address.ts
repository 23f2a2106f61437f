import { type AddressRules, checkBase } from '../client/transport/address.ts'

export interface ServiceAddress {
  /** Scheme, host and port: what a jar belongs to. */
  readonly origin: string
  /** The origin with the base path, without a slash at the end. */
  readonly base: string
  /** It was allowed to be asked in clear text. */
  readonly allowHttp?: boolean | undefined
}

/** The service's address, checked (exit 2); without a path the default prefix is added. */
export function parseServiceAddress(text: string, rules: AddressRules = {}): ServiceAddress {
  const { origin, pathname } = checkBase(text, rules)
  const base = origin + (pathname.replace(/\/+$/, '') || '/api/auth')
  return rules.allowHttp ? { origin, base, allowHttp: true } : { origin, base }
}
