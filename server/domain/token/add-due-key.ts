import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { createKeyPair } from '../../crypto/token-key.ts'
import { inLastTrip, inOneTrip } from '../../db/connect.ts'
import { type KeyTimes, lockAndFindNewestKey, type NewKey, signingKeyInserts } from '../../db/signing-keys.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { KeyRing, LoadedKey } from './memory.ts'

/** A key that has to be made. */
interface DueKey {
  /**
   * The newest key at this time. Null when there is none. A different newest key means that another process made one.
   */
  readonly after: string | null
  readonly times: KeyTimes
  /** Whether nothing can be signed without it. */
  readonly isMissing: boolean
}

/**
 * Whether a key has to be made: we can sign with none, or the newest is too old or has another algorithm. A planned key
 * only follows one that already signs, so services with different settings make one now and then, not with every look.
 */
export function dueKey({ config, now }: Deps, { keys }: KeyRing): DueKey | null {
  const time = now().getTime()
  // One that moved in is there to verify with, and no other key follows it.
  const newest = keys.find(({ publishedUntil }) => publishedUntil === null)
  const after = newest?.id ?? null
  if (!keys.some((key) => canKeepSigning(key, config, time))) return { after, times: immediateTimes, isMissing: true }
  if (!newest || newest.signsFrom > time || !isOutdated(newest, config, time)) return null
  return { after, times: plannedTimes(config), isMissing: false }
}

/** Whether the key can sign for a while longer: a key with a successor has to outlive what it signs. */
const canKeepSigning = (
  { privateKey, signsFrom, publishedUntil }: LoadedKey,
  { JWT_EXPIRES_IN }: Config,
  time: number,
) =>
  privateKey !== null &&
  signsFrom <= time &&
  (publishedUntil === null || publishedUntil - time >= JWT_EXPIRES_IN * 1000)

const isOutdated = ({ algorithm, signsFrom }: LoadedKey, { JWT_ALGORITHM, JWT_ROTATION }: Config, time: number) =>
  algorithm !== JWT_ALGORITHM || (JWT_ROTATION > 0 && time - signsFrom >= JWT_ROTATION * 1000)

/** Makes the key, unless another process has made one meanwhile. */
export async function addDueKey(deps: Deps, { after, times }: DueKey): Promise<void> {
  const key = await createKey(deps)
  const isAdded = await transaction(deps.sql, async (tx) => {
    const [, newest] = await inOneTrip(tx, ...lockAndFindNewestKey)
    if (newest.id !== after) return false
    await inLastTrip(tx, ...signingKeyInserts(key, times, false))
    return true
  })
  if (isAdded) deps.log.info({ keyId: key.id, algorithm: key.algorithm, ...times }, 'a new token signing key was made')
}

/** A new key pair. The private part is encrypted for this row alone. */
export async function createKey({ config, keys }: Deps): Promise<NewKey> {
  const id = newId()
  const { JWT_ALGORITHM: algorithm, JWT_EXPIRES_IN: tokenLife } = config
  const { publicKey, privateKey } = await createKeyPair(algorithm)
  return { id, algorithm, publicKey, privateKey: keys.jwt.seal(privateKey, id), tokenLife }
}

/** Seconds for which a process may rely on the keys it has read; another process may have made one since. */
export const maxStaleness = 60
/** Seconds between two reads while the service runs, so that no request that signs waits for one. */
export const lookInterval = 30
/** Seconds that clocks may differ. */
const leeway = 60

type Settings = Pick<Config, 'JWKS_MAX_AGE'>

/**
 * Seconds before a new key signs: by then no cached answer lacks it, not even one from a process that did not know the
 * key yet.
 */
export const leadTimeOf = ({ JWKS_MAX_AGE }: Settings): number => JWKS_MAX_AGE + maxStaleness + leeway

/**
 * Seconds that the previous key stays published beyond the life of its tokens: a process that does not know the new key
 * may still sign with it.
 */
const overlap = maxStaleness + leeway

export const plannedTimes = (config: Settings): KeyTimes => ({ lead: leadTimeOf(config), overlap })
/** For when no other key can sign meanwhile. */
export const immediateTimes: KeyTimes = { lead: 0, overlap }
