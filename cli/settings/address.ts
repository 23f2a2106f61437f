import { baseAt } from '../../shared/service-address.ts'
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
  const url = checkBase(text, rules)
  const address = { origin: url.origin, base: baseAt(url) }
  return rules.allowHttp ? { ...address, allowHttp: true } : address
}
