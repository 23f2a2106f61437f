import type { HashProblem } from '../argon2-hash.ts'

/** A hash that was read: everything needed to check a password against it, off the event loop. */
export interface StoredHash {
  /** Whether the hash was made from this password, as somebody typed it. */
  verify(password: string): Promise<boolean>
  /** Whether that takes clearly less time than an Argon2 hash of the lowest cost that we make ourselves. */
  readonly isCheap: boolean
}

/** Null when the text has another format. */
export type ReadHash = (stored: string) => StoredHash | HashProblem | null
