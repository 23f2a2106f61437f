import { parseArgon2Hash, verifyArgon2Hash } from '../argon2-hash.ts'
import { normalizePassword } from '../normalize-password.ts'
import type { ReadHash } from './format.ts'

/** Argon2 in the PHC string format: our own, and those of others. */
export const readArgon2: ReadHash = (stored) => {
  if (!stored.startsWith('$argon2')) return null
  const read = parseArgon2Hash(stored)
  return typeof read === 'string' ? read : { verify: (password) => verifyArgon2Hash(read, normalizePassword(password)) }
}
