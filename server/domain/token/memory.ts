import type { KeyObject } from 'node:crypto'
import type { PublicKey, TokenAlgorithm } from '../../../shared/token.ts'
import { createRecentMap, type RecentMap } from '../../memory/recent-map.ts'

/** A stored key as this process knows it. Times in milliseconds of its own clock. */
export interface LoadedKey {
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly publicKey: PublicKey
  /** Null when no configured secret decrypts it. */
  readonly privateKey: KeyObject | null
  readonly signsFrom: number
  /** Null until another key follows. */
  readonly publishedUntil: number | null
}

/** All keys, newest first, and the time they were read. */
export interface KeyRing {
  readonly keys: readonly LoadedKey[]
  readonly readAt: number
}

/** A recently signed token. */
export interface SignedToken {
  readonly token: string
  readonly keyId: string
  /** Everything that its claims depend on, without the times. */
  readonly facts: string
  readonly signedAt: number
}

/** Milliseconds for which a session gets the same token again, unless a tenth of the token's life is shorter. */
export const reuseFor = 60_000

/** About 20 MB at most, and several times as much where users have long texts in fields of their own. */
const capacity = 5000

/** The keys and recent tokens that one service keeps in memory. */
export class TokenMemory {
  ring: KeyRing | null = null
  /** The read of the database in progress. */
  reading: Promise<KeyRing> | null = null
  /**
   * Decrypted private keys by id. A key stays decrypted here, because another process may have re-encrypted it with a
   * secret that this one lacks.
   */
  readonly opened = new Map<string, KeyObject>()
  /** Ids of keys that no secret decrypts and that were already logged. */
  readonly closed = new Set<string>()
  /** By the session's id. */
  readonly tokens: RecentMap<SignedToken>

  constructor(now: () => Date) {
    this.tokens = createRecentMap({ capacity, turn: { milliseconds: reuseFor, now } })
  }

  /** Forces a new read and discards the result of one in progress. */
  forgetRing(): void {
    this.ring = null
    this.reading = null
  }
}
