import type { KeyObject } from 'node:crypto'
import { within } from '../../../shared/within.ts'
import { parsePrivateKey, type TokenKey } from '../../crypto/token-key.ts'
import { retryRead } from '../../db/outage.ts'
import {
  deleteUnpublishedKeys,
  findSigningKeys,
  isPublished,
  raiseTokenLife,
  resealSigningKey,
  type StoredKey,
} from '../../db/signing-keys.ts'
import type { Deps } from '../../deps.ts'
import { addDueKey, dueKey, maxStaleness } from './add-due-key.ts'
import type { KeyRing, LoadedKey } from './memory.ts'

/** Milliseconds for which verifiers may be told the same: they keep it for long, also a key that has ended since. */
const toldFor = 1000
/** Milliseconds that verifiers wait for newer keys, which is less than they wait for any answer. */
const patience = 500

/** Milliseconds since the keys were read. */
const ageOf = ({ now }: Deps, ring: KeyRing): number => {
  const age = now().getTime() - ring.readAt
  // Once the clock was set back, the times of its keys are wrong by as much.
  return age < 0 ? Number.POSITIVE_INFINITY : age
}

/** The keys for what signs. While the database cannot be reached, older ones are used for a while. */
export async function getKeyRing(deps: Deps, freshFor = maxStaleness * 1000): Promise<KeyRing> {
  const { ring } = deps.tokenMemory
  const age = ring ? ageOf(deps, ring) : Number.POSITIVE_INFINITY
  if (ring && age < freshFor) return ring
  return readKeyRing(deps).catch((error: unknown) => {
    if (!ring || age > deps.config.JWKS_MAX_AGE * 1000) throw error
    return ring
  })
}

/** The keys for verifiers: a second old at most, unless the database takes its time. */
export async function getNewestKeyRing(deps: Deps): Promise<KeyRing> {
  const { ring } = deps.tokenMemory
  const newest = getKeyRing(deps, toldFor)
  return ring && ageOf(deps, ring) < maxStaleness * 1000 ? within(patience, newest, () => ring) : newest
}

/** Reads the keys again, once for all concurrent requests, and makes a key when one is due. */
export function readKeyRing(deps: Deps): Promise<KeyRing> {
  const { tokenMemory: memory } = deps
  if (memory.reading) return memory.reading
  const reading = read(deps)
    .then((ring) => {
      // Unless the keys have changed since the read began.
      if (memory.reading === reading) memory.ring = ring
      return ring
    })
    .finally(() => {
      if (memory.reading === reading) memory.reading = null
    })
  memory.reading = reading
  return reading
}

/**
 * The key that signs now: the newest whose time has begun and that we can decrypt. It outlives every token that it
 * signs.
 */
export function signerOf({ keys }: KeyRing, time: number): (TokenKey & { readonly signsUntil: number | null }) | null {
  for (const { id, algorithm, privateKey, signsFrom, publishedUntil } of keys)
    if (privateKey && signsFrom <= time && (publishedUntil ?? Number.POSITIVE_INFINITY) > time)
      return { id, algorithm, privateKey, signsUntil: publishedUntil }
  return null
}

const maxTries = 3

async function read(deps: Deps, tries = maxTries): Promise<KeyRing> {
  const ring = await look(deps)
  const due = dueKey(deps, ring)
  if (!due) return ring
  try {
    await addDueKey(deps, due)
  } catch (err) {
    if (due.isMissing) throw err
    // Not urgent: the existing keys continue to sign.
    deps.log.warn({ err }, 'a new token signing key could not be made; trying again at the next check')
    return ring
  }
  if (tries > 1) return read(deps, tries - 1)
  throw new Error('Other processes keep replacing the token signing keys')
}

async function look(deps: Deps): Promise<KeyRing> {
  const { sql, now, config } = deps
  const stored = await retryRead(() => findSigningKeys(sql))
  const readAt = now().getTime()
  const published = stored.filter(isPublished)
  if (published.length < stored.length) await deleteUnpublishedKeys(sql)
  const [newest] = published
  if (newest && newest.tokenLife < config.JWT_EXPIRES_IN) await raiseTokenLife(sql, config.JWT_EXPIRES_IN)
  forgetOthers(deps, published)
  const keys: LoadedKey[] = []
  for (const key of published) keys.push(loadedKeyOf(key, await open(deps, key), readAt))
  return { keys, readAt }
}

const loadedKeyOf = (key: StoredKey, privateKey: KeyObject | null, time: number): LoadedKey => ({
  id: key.id,
  algorithm: key.algorithm,
  publicKey: { ...key.publicKey, alg: key.algorithm, use: 'sig', kid: key.id },
  privateKey,
  signsFrom: time + key.signsIn * 1000,
  publishedUntil: key.publishedFor === null ? null : time + key.publishedFor * 1000,
})

function forgetOthers({ tokenMemory: { opened, closed } }: Deps, stored: readonly StoredKey[]): void {
  const ids = new Set(stored.map(({ id }) => id))
  for (const known of [opened, closed]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
}

/** The private key. Null, with a line in the log, when no configured secret decrypts it. */
async function open(deps: Deps, { id, privateKey }: StoredKey): Promise<KeyObject | null> {
  // The key moved in from another service: only its public part did.
  if (privateKey.length === 0) return null
  const { opened, closed } = deps.tokenMemory
  try {
    const sealed = Buffer.from(privateKey)
    const key = opened.get(id) ?? parsePrivateKey(deps.keys.jwt.open(sealed, id))
    opened.set(id, key)
    await resealIfOutdated(deps, id, sealed).catch((err: unknown) =>
      deps.log.warn({ err, keyId: id }, unsealedSentence),
    )
    return key
  } catch (err) {
    if (!closed.has(id)) deps.log.error({ err, keyId: id }, closedSentence)
    closed.add(id)
    return null
  }
}

const closedSentence =
  'a token signing key cannot be decrypted with any configured secret. Its tokens can be verified until they expire, and another key signs from now on. If the old secret was removed by mistake, add it after the new one in SECRETS'

const unsealedSentence = 'a token signing key is still encrypted with an old secret; trying again at the next check'

/** Lets an operator drop an old secret once nothing is encrypted with it any more. */
async function resealIfOutdated({ keys, sql, log }: Deps, id: string, sealed: Buffer): Promise<void> {
  if (!keys.jwt.isOutdated(sealed)) return
  await resealSigningKey(sql, id, sealed, keys.jwt.seal(keys.jwt.open(sealed, id), id))
  log.info({ keyId: id }, 'a token signing key is now encrypted with the newest secret')
}
