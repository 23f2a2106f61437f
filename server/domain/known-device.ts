import { type KnownDevice, markDevice, readDevice } from '../crypto/known-device.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../request/client.ts'

/** The known device that the client's cookies prove for an address; null with RATE_LIMIT off, which makes it useless. */
export const deviceOf = ({ config, keys }: Deps, client: Client, email: string): KnownDevice | null =>
  config.RATE_LIMIT ? readDevice(keys.device, client.deviceMarks, email) : null

/** The mark after a reset by mail: a new device, since the counters of the old one may be used up. */
export const newMarkOf = ({ config, keys }: Deps, email: string, hash: string): string | null =>
  config.RATE_LIMIT ? markDevice(keys.device, email, hash) : null

/** The mark for a client that has just proven the password of this hash; a known device keeps its number. */
export const markOf = (deps: Deps, client: Client, email: string, hash: string): string | null =>
  deps.config.RATE_LIMIT ? markDevice(deps.keys.device, email, hash, deviceOf(deps, client, email)?.nonce) : null
