import type { HashProblem } from '../argon2-hash.ts'
import { readArgon2 } from './argon2.ts'
import { readBcrypt } from './bcrypt.ts'
import type { ReadHash, StoredHash } from './format.ts'
import { readPbkdf2 } from './pbkdf2.ts'
import { readFirebase, readReferenceScrypt, readScrypt } from './scrypt.ts'
import { readWrapped } from './wrapped.ts'

const formats: readonly ReadHash[] = [
  readArgon2,
  readReferenceScrypt,
  readScrypt,
  readFirebase,
  readBcrypt,
  readPbkdf2,
  readWrapped,
]

/** Reads a hash of any format that can be stored. `costly`: it is never computed. */
export function readStoredHash(stored: string): StoredHash | HashProblem {
  for (const read of formats) {
    const found = read(stored)
    if (found !== null) return found
  }
  return 'unreadable'
}
