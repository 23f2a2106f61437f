import { type KnownDevice, markDevice, readDevice } from '../crypto/known-device.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../request.ts'

/** What the client's cookie says of an address; without limits it would be of no use. */
export const deviceOf = ({ config, keys }: Deps, client: Client, email: string): KnownDevice | null =>
  config.RATE_LIMIT ? readDevice(keys.device, client.deviceMarks, email) : null

/** The mark for who has just set a new password by mail: under a number of its own, since the old one may be used up. */
export const newMarkOf = ({ config, keys }: Deps, email: string, hash: string): string | null =>
  config.RATE_LIMIT ? markDevice(keys.device, email, hash) : null

/** The mark for a client that has just proven the password of this hash; a device that was known stays the same one. */
export const markOf = (deps: Deps, client: Client, email: string, hash: string): string | null =>
  deps.config.RATE_LIMIT ? markDevice(deps.keys.device, email, hash, deviceOf(deps, client, email)?.nonce) : null
