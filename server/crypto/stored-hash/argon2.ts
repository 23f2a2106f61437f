import { verify } from '@node-rs/argon2'
import { type Argon2Hash, parseArgon2Hash } from '../argon2-hash.ts'
import type { ReadHash, Work } from './format.ts'

const nearly = 0.9

/** Whatever part of the lanes a machine computes at once. */
export function isCheapArgon2(hash: Argon2Hash, ours: Work): boolean {
  const [own, other] = [ours.memory * ours.passes, hash.memory * hash.passes]
  return other < nearly * own || other / hash.lanes < (nearly * own) / ours.lanes
}

/** Argon2 in the PHC string format: our own, and those of others. */
export const readArgon2: ReadHash = (stored) => {
  if (!stored.startsWith('$argon2')) return null
  const read = parseArgon2Hash(stored)
  if (typeof read === 'string') return read
  return {
    verify: (password) => verify(stored, password),
    isCheap: (ours) => isCheapArgon2(read, ours),
  }
}
