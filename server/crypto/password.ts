import { hashRaw, hash as makeHash } from '@node-rs/argon2'
import type { JobQueue } from '../limits/fair-queue.ts'
import { type Argon2Hash, type HashProblem, parseArgon2Hash } from './argon2-hash.ts'
import { createHashQueue, type HashQueueLimits, hashLimitsOf, usualHashQueue } from './hash-queue.ts'
import { normalizePassword } from './normalize-password.ts'
import type { StoredHash } from './stored-hash/format.ts'
import { readStoredHash } from './stored-hash/stored-hash.ts'
import { randomText } from './token.ts'

/** Argon2id cost: memory in KiB, passes, lanes (OWASP Password Storage: 19456, 2, 1 is the floor). */
export interface HashCost {
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

export interface Passwords {
  /**
   * Returns a PHC string with a random 16-byte salt. `network`: whose turn in the queue the hash takes; no network when
   * absent.
   */
  hash(password: string, network?: string): Promise<string>
  /** A digest for look-ups: the same password and 16-byte salt always give the same bytes. Costs one hash. */
  digest(password: string, salt: Buffer, network?: string): Promise<Buffer>
  /**
   * Always costs one hash. Without a stored hash it verifies a decoy and returns false; so it does after a wrong
   * password whose own hash is of another service and much cheaper.
   */
  verify(stored: string | null, password: string, asked?: PasswordOwner): Promise<boolean>
  /**
   * Reads what a hash needs, in the turn of that network. Throws SERVICE_UNAVAILABLE at once when there is no place for
   * the hash.
   */
  prepare<T>(network: string | undefined, work: () => Promise<T>): Promise<T>
  /** Whether the stored hash used another algorithm or cost than the current one. */
  isOutdated(stored: string): boolean
  /** The number of hashes computed so far, with which tests prove equal work. */
  readonly computed: number
  readonly queue: JobQueue
}

/** Whose queue turn the check takes, and whose hash it is, to report a hash that cannot be used. */
interface PasswordOwner {
  readonly network?: string | undefined
  readonly userId?: string | undefined
}

/** Code points. Longer passwords are never hashed: the sign-in simply fails. */
export const maxCheckedLength = 1024

export interface PasswordOptions {
  readonly limits?: HashQueueLimits | undefined
  /** Replaces a queue of its own: the workers of a service share one. */
  readonly queue?: JobQueue | undefined
  /** Called when the stored hash is unusable, so that no password can match it. */
  readonly onUnusable?: (problem: HashProblem, userId: string | undefined) => void
}

export function createPasswords(
  cost: HashCost,
  { limits = hashLimitsOf(usualHashQueue), queue = createHashQueue(limits), onUnusable }: PasswordOptions = {},
): Passwords {
  // Argon2id is what the package makes unless told otherwise.
  const options = { memoryCost: cost.memory, timeCost: cost.passes, parallelism: cost.lanes }
  let computed = 0
  const spend = <T>(network: string | undefined, job: () => Promise<T>) =>
    queue.run(() => {
      computed += 1
      return job()
    }, network)
  const hash = (password: string, network?: string) =>
    spend(network, () => makeHash(normalizePassword(password), options))
  // Random and discarded at once, so no password matches the decoy.
  const decoy = (network?: string) => hash(randomText(43), network).then(() => false)
  // In the same turn: a wrong password takes no less time than an unknown user, whose decoy costs that much.
  const verifyOrDecoy = async (read: StoredHash, password: string) => {
    if (await read.verify(password)) return true
    if (!read.isCheap(cost)) return false
    computed += 1
    await makeHash(randomText(43), options)
    return false
  }

  return {
    queue,
    hash,
    prepare: (network, work) => queue.prepare(work, network),
    digest: (password, salt, network) =>
      spend(network, () => hashRaw(normalizePassword(password), { ...options, salt })),
    verify(stored, password, { network, userId } = {}) {
      if (stored === null) return decoy(network)
      const read = readStoredHash(stored)
      if (typeof read === 'object') return spend(network, () => verifyOrDecoy(read, password))
      onUnusable?.(read, userId)
      return decoy(network)
    },
    isOutdated: (stored) => isOutdated(stored, cost),
    get computed() {
      return computed
    },
  }
}

function isOutdated(stored: string, cost: HashCost): boolean {
  const read = parseArgon2Hash(stored)
  return typeof read !== 'object' || !isOfCost(read, cost)
}

/** Matches hashes made by `hash`, with the parameters in any order. */
const isOfCost = ({ type, version, memory, passes, lanes, ...rest }: Argon2Hash, cost: HashCost): boolean =>
  type === 'argon2id' &&
  version === 19 &&
  memory === cost.memory &&
  passes === cost.passes &&
  lanes === cost.lanes &&
  rest.associatedData.length === 0 &&
  rest.salt.length === 16 &&
  rest.hash.length === 32
