import type { KeyObject } from 'node:crypto'
import type { PublicKey, TokenAlgorithm } from '../../../shared/token.ts'

/** A stored key as this process knows it; times in milliseconds of its own clock. */
export interface KnownKey {
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly publicKey: PublicKey
  /** Null: no secret at hand opens it. */
  readonly privateKey: KeyObject | null
  readonly signsFrom: number
  /** Null: until another key follows. */
  readonly publishedUntil: number | null
}

/** All keys, the newest first, as they were at a time. */
export interface KeyRing {
  readonly keys: readonly KnownKey[]
  readonly readAt: number
}

/** A token that was signed a moment ago. */
export interface SignedToken {
  readonly token: string
  readonly keyId: string
  /** All that its claims were made of, times left out. */
  readonly facts: string
  readonly signedAt: number
}

/** About 10 MB in both halves at most. */
const capacity = 5000

/** What one service remembers of keys and tokens. */
export class TokenMemory {
  ring: KeyRing | null = null
  /** The look at the database that is under way. */
  reading: Promise<KeyRing> | null = null
  /**
   * Private keys by id. One that was opened once is not opened again: another process with another secret may have sealed
   * it anew meanwhile.
   */
  readonly opened = new Map<string, KeyObject>()
  /** Ids of keys that no secret opens, and that the log was told of. */
  readonly closed = new Set<string>()
  /** Two halves by session: the older one is dropped as a whole. */
  private young = new Map<string, SignedToken>()
  private old = new Map<string, SignedToken>()

  /** Another look is needed, and none that is under way will do. */
  forgetRing(): void {
    this.ring = null
    this.reading = null
  }

  tokenOf(sessionId: string): SignedToken | undefined {
    return this.young.get(sessionId) ?? this.old.get(sessionId)
  }

  keepToken(sessionId: string, token: SignedToken): void {
    if (this.young.size >= capacity) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(sessionId, token)
  }
}
