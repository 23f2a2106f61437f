import type { Config } from '../../config.ts'
import type { KeyTimes } from '../../db/signing-keys.ts'

/** Seconds that a process may go by what it knows of the keys; others may have made one since. */
export const maxStaleness = 60
/** Seconds between two looks of a service that runs: no request ever has to wait for one. */
export const lookInterval = 30
/** Seconds that clocks may differ. */
const leeway = 60

type Settings = Pick<Config, 'JWKS_MAX_AGE'>

/** A new key signs once nobody can have an answer in hand that lacks it: one from a process that did not know it yet. */
export const leadOf = ({ JWKS_MAX_AGE }: Settings): number => JWKS_MAX_AGE + maxStaleness + leeway

/** The one before is published until what it signed last has expired: by a process that did not know of the new one yet. */
const overlap = maxStaleness + leeway

export const plannedTimes = (config: Settings): KeyTimes => ({ lead: leadOf(config), overlap })
/** Where there is no key that could sign meanwhile. */
export const immediateTimes: KeyTimes = { lead: 0, overlap }
