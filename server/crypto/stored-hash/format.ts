import type { HashProblem } from '../argon2-hash.ts'

/** A hash that was read: everything needed to check a password against it, off the event loop. */
export interface StoredHash {
  /** Whether the hash was made from this text. The normal form of a password is another text. */
  verify(password: string): Promise<boolean>
  /** Whether that takes clearly less time than an Argon2 hash as we make it at that cost. */
  isCheap(ours: Work): boolean
}

/** What Argon2 costs: KiB in each pass, and how many lanes share them. */
export interface Work {
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

/** How many times as much as at the lowest cost, for which the limits of other algorithms are measured. */
export const timesFloor = ({ memory, passes }: Work): number => (memory * passes) / (19_456 * 2)

/** Null when the text has another format. */
export type ReadHash = (stored: string) => StoredHash | HashProblem | null
