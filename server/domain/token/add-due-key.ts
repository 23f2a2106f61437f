import { v7 as uuid } from 'uuid'
import type { Config } from '../../config.ts'
import { createKeyPair } from '../../crypto/token-key.ts'
import { insertSigningKey, type KeyTimes, lockNewestKey, type NewKey } from '../../db/signing-keys.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { KeyRing, KnownKey } from './memory.ts'

/** A key that has to be made. */
interface DueKey {
  /** The newest key by now; null: there is none. Where another is the newest meanwhile, somebody else made it. */
  readonly after: string | null
  readonly times: KeyTimes
  /** Whether nothing can be signed without it. */
  readonly isMissing: boolean
}

/**
 * Whether a key has to be made: none is there that we can sign with, or the newest is too old or of another algorithm. What
 * follows by plan follows a key that signs: so services that differ in their settings make one now and then, not with
 * every look.
 */
export function dueKey({ config, now }: Deps, { keys }: KeyRing): DueKey | null {
  const time = now().getTime()
  const [newest] = keys
  const after = newest?.id ?? null
  if (!keys.some((key) => mayGoOn(key, config, time))) return { after, times: immediateTimes, isMissing: true }
  if (!newest || newest.signsFrom > time || !isOutdated(newest, config, time)) return null
  return { after, times: plannedTimes(config), isMissing: false }
}

/** Whether we can sign with it for a while: a key that is followed has to outlive what it signs. */
const mayGoOn = ({ privateKey, signsFrom, publishedUntil }: KnownKey, { JWT_EXPIRES_IN }: Config, time: number) =>
  privateKey !== null &&
  signsFrom <= time &&
  (publishedUntil === null || publishedUntil - time >= JWT_EXPIRES_IN * 1000)

const isOutdated = ({ algorithm, signsFrom }: KnownKey, { JWT_ALGORITHM, JWT_ROTATION }: Config, time: number) =>
  algorithm !== JWT_ALGORITHM || (JWT_ROTATION > 0 && time - signsFrom >= JWT_ROTATION * 1000)

/** Makes it, unless somebody else has made one meanwhile. */
export async function addDueKey(deps: Deps, { after, times }: DueKey): Promise<void> {
  const key = await createKey(deps)
  const isAdded = await transaction(deps.sql, async (tx) => {
    const newest = await lockNewestKey(tx)
    if ((newest?.id ?? null) !== after) return false
    await insertSigningKey(tx, key, times)
    return true
  })
  if (isAdded) deps.log.info({ keyId: key.id, algorithm: key.algorithm, ...times }, 'a new key signs tokens')
}

/** A new pair, its private part sealed for this row alone. */
export async function createKey({ config, keys }: Deps): Promise<NewKey> {
  const id = uuid()
  const { JWT_ALGORITHM: algorithm, JWT_EXPIRES_IN: tokenLife } = config
  const { publicKey, privateKey } = await createKeyPair(algorithm)
  return { id, algorithm, publicKey, privateKey: keys.jwt.seal(privateKey, id), tokenLife }
}

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
