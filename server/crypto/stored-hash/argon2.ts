import { type Argon2Hash, parseArgon2Hash, verifyArgon2Hash } from '../argon2-hash.ts'
import { normalizePassword } from '../normalize-password.ts'
import type { ReadHash } from './format.ts'

/** Less than half of 19 MiB in two passes. */
export const isCheapArgon2 = ({ memory, passes }: Argon2Hash): boolean => memory * passes < 19_456

/** Argon2 in the PHC string format: our own, and those of others. */
export const readArgon2: ReadHash = (stored) => {
  if (!stored.startsWith('$argon2')) return null
  const read = parseArgon2Hash(stored)
  if (typeof read === 'string') return read
  return { verify: (password) => verifyArgon2Hash(read, normalizePassword(password)), isCheap: isCheapArgon2(read) }
}
