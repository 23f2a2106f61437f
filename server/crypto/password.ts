import argon2 from 'argon2'
import type { QueueLoad } from '../limits/fair-queue.ts'
import { createHashQueue, type HashQueueLimits } from './hash-queue.ts'
import { isScryptHash, verifyScrypt } from './scrypt-hash.ts'
import { randomText } from './token.ts'

/** Argon2id cost: memory in KiB, passes, lanes (OWASP Password Storage: 19456, 2, 1 is the floor). */
export interface HashCost {
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

export interface Passwords {
  /** A PHC string with a random 16-byte salt. `network`: whose turn in the queue it takes; nobody's when absent. */
  hash(password: string, network?: string): Promise<string>
  /** The same bytes for the same password and salt of 16 bytes, to be looked up by; costs one hash. */
  digest(password: string, salt: Buffer, network?: string): Promise<Buffer>
  /** Always costs one hash; without a stored hash it is spent on a decoy and the answer is false. */
  verify(stored: string | null, password: string, network?: string): Promise<boolean>
  /** Whether the stored hash was made in another way or at another cost than today's. */
  isOutdated(stored: string): boolean
  /** How many hashes were computed; tests prove equal work with it. */
  readonly computed: number
  readonly queue: QueueLoad
}

/** Code points. A longer password is not hashed: the sign-in is simply wrong. */
export const maxCheckedLength = 1024

// A stored hash may ask for any memory: parameters beyond these are a failed sign-in, not an allocation.
const ceiling = { m: 131_072, t: 10, p: 4 }

export interface PasswordOptions {
  readonly limits?: HashQueueLimits
  /** Called when a stored hash is damaged or asks for too much: no password fits it any more. */
  readonly onUnusable?: () => void
}

const defaultLimits: HashQueueLimits = { running: 2, waiting: 64, timeout: 2000 }

export function createPasswords(
  cost: HashCost,
  { limits = defaultLimits, onUnusable }: PasswordOptions = {},
): Passwords {
  const queue = createHashQueue(limits)
  const options = { type: argon2.argon2id, memoryCost: cost.memory, timeCost: cost.passes, parallelism: cost.lanes }
  let computed = 0
  const spend = <T>(network: string | undefined, job: () => Promise<T>) =>
    queue.run(() => {
      computed += 1
      return job()
    }, network)
  const hash = (password: string, network?: string) => spend(network, () => argon2.hash(normalize(password), options))
  // Random per process and thrown away: no password matches the decoy.
  const decoy = (network?: string) => hash(randomText(43), network).then(() => false)

  return {
    queue,
    hash,
    digest: (password, salt, network) =>
      spend(network, () => argon2.hash(normalize(password), { ...options, salt, raw: true })),
    verify(stored, password, network) {
      if (stored !== null && isUsable(stored)) return spend(network, () => argon2.verify(stored, normalize(password)))
      if (stored !== null && isScryptHash(stored))
        return spend(network, () => verifyScrypt(stored, normalize(password)))
      if (stored !== null) onUnusable?.()
      return decoy(network)
    },
    isOutdated: (stored) => isScryptHash(stored) || argon2.needsRehash(stored, options),
    get computed() {
      return computed
    },
  }
}

/** The same password typed on two systems differs in bytes; NFKC makes it one. Nothing is trimmed or folded. */
const normalize = (password: string): string => password.normalize('NFKC')

// A PHC string with 16 bytes of salt and 32 of hash; the native code throws at anything that is none.
const phc = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

function isUsable(stored: string): boolean {
  const [, m = 0, t = 0, p = 0] = (phc.exec(stored) ?? []).map(Number)
  const isEnough = t >= 1 && p >= 1 && m >= 8 * p
  return isEnough && m <= ceiling.m && t <= ceiling.t && p <= ceiling.p
}
