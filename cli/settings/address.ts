import { apiBaseAt } from '../../shared/service-address.ts'
import { type AddressRules, checkBase } from '../client/transport/address.ts'

export interface ServiceAddress {
  /** Scheme, host and port, which identify a jar. */
  readonly origin: string
  /** The origin with the base path, without a trailing slash. */
  readonly base: string
  /** Unencrypted http to this address is allowed. */
  readonly allowHttp?: boolean | undefined
}

/** Parses and checks the service's address (exit 2). Without a path, the default prefix is added. */
export function parseServiceAddress(text: string, rules: AddressRules = {}): ServiceAddress {
  const url = checkBase(text, rules)
  const address = { origin: url.origin, base: apiBaseAt(url) }
  return rules.allowHttp ? { ...address, allowHttp: true } : address
}
