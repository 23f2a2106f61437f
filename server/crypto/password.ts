import { hashRaw, hash as makeHash } from '@node-rs/argon2'
import type { JobQueue } from '../limits/fair-queue.ts'
import { type Argon2Hash, type HashProblem, parseArgon2Hash } from './argon2-hash.ts'
import { createHashQueue, type HashQueueLimits, hashLimitsOf, usualHashQueue } from './hash-queue.ts'
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
   * Costs one hash, or two where what was typed has another normal form: the hashes of other services are mostly of the
   * typed text. Without a stored hash it verifies a decoy and returns false; so it does after a wrong password whose own
   * hash is of another service and much cheaper.
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
  const counted = <T>(job: () => Promise<T>) => {
    computed += 1
    return job()
  }
  const make = (text: string) => counted(() => makeHash(text, options))
  const hash = (password: string, network?: string) => queue.run(() => make(normalizePassword(password)), network)
  // As many as a wrong password of our own costs. Random and discarded at once, so no password matches the decoy.
  const decoy = async (password: string) => {
    for (const _ of formsOf(password)) await make(randomText(43))
    return false
  }
  // In the same turn: a wrong password takes no less time than an unknown user, whose decoy costs that much.
  const verifyOrDecoy = async (read: StoredHash, password: string) => {
    for (const form of formsOf(password)) if (await counted(() => read.verify(form))) return true
    return read.isCheap(cost) ? decoy(password) : false
  }

  return {
    queue,
    hash,
    prepare: (network, work) => queue.prepare(work, network),
    digest: (password, salt, network) =>
      queue.run(() => counted(() => hashRaw(normalizePassword(password), { ...options, salt })), network),
    verify(stored, password, { network, userId } = {}) {
      const read = stored === null ? null : readStoredHash(stored)
      if (typeof read === 'string') onUnusable?.(read, userId)
      const isUsable = typeof read === 'object' && read !== null
      return queue.run(() => (isUsable ? verifyOrDecoy(read, password) : decoy(password)), network)
    },
    isOutdated: (stored) => isOutdated(stored, cost),
    get computed() {
      return computed
    },
  }
}

/** Systems encode the same typed password in different bytes, which NFKC unifies. Nothing is trimmed or case-folded. */
const normalizePassword = (password: string): string => password.normalize('NFKC')

/** The first is how our own hashes are made. */
const formsOf = (password: string): ReadonlySet<string> => new Set([normalizePassword(password), password])

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
