import { createHash } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import { parseArgon2Hash } from '../argon2-hash.ts'
import { isCheapArgon2 } from './argon2.ts'
import { bytesOfBase64, unpaddedBase64 } from './bytes.ts'
import type { ReadHash } from './format.ts'

/** A hash that is found by trying passwords, since it costs nothing: it is stored only inside of another one. */
export interface WeakHash {
  readonly digest: 'md5' | 'sha1' | 'sha256' | 'sha512'
  readonly salt: Buffer
  /** Where the salt was added to the password. */
  readonly place: 'before' | 'after'
  readonly hash: Buffer
}

/** `$wrapped$sha1,before=salt$argon2id$v=19$…`: Argon2 of the weak hash, in hex. */
const wrapped = /^\$wrapped\$(md5|sha1|sha256|sha512),(before|after)=([A-Za-z0-9+/]{0,256})(\$argon2.+)$/

export const readWrapped: ReadHash = (stored) => {
  if (!stored.startsWith('$wrapped$')) return null
  const [, digest, place, salt = '', outer = ''] = wrapped.exec(stored) ?? []
  const saltBytes = bytesOfBase64(salt)
  const read = parseArgon2Hash(outer)
  if (!isDigest(digest) || !saltBytes) return 'unreadable'
  if (typeof read === 'string') return read
  return {
    verify: (password) => verify(outer, weakDigest(digest, saltBytes, place, password)),
    isCheap: (ours) => isCheapArgon2(read, ours),
  }
}

/** The text to store for it. `hash`: makes the Argon2 hash of a text. */
export async function wrapWeakHash(weak: WeakHash, hash: (text: string) => Promise<string>): Promise<string> {
  return `$wrapped$${weak.digest},${weak.place}=${unpaddedBase64(weak.salt)}${await hash(weak.hash.toString('hex'))}`
}

function weakDigest(digest: WeakHash['digest'], salt: Buffer, place = 'before', password = ''): string {
  const text = Buffer.from(password)
  return createHash(digest)
    .update(Buffer.concat(place === 'before' ? [salt, text] : [text, salt]))
    .digest('hex')
}

const isDigest = (text: string | undefined): text is WeakHash['digest'] =>
  text !== undefined && ['md5', 'sha1', 'sha256', 'sha512'].includes(text)

const lengths: Readonly<Record<WeakHash['digest'], number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 }

/** As Django writes them: `sha1$salt$hex`. The salt, which can be empty, comes before the password. */
const django = /^(md5|sha1|sha256|sha512)\$([^$]{0,128})\$([0-9a-fA-F]{32,128})$/
/** As LDAP writes them (RFC 2307): `{SSHA}` and Base64 of hash and salt. */
const ldap = /^\{S?(MD5|SHA|SHA256|SHA512)\}([A-Za-z0-9+/]{22,512}={0,2})$/

/** Null for any other text. */
export function readWeakHash(text: string): WeakHash | null {
  const [, digest, salt = '', hex = ''] = django.exec(text) ?? []
  const found = isDigest(digest)
    ? { digest, salt: Buffer.from(salt), place: 'before' as const, hash: Buffer.from(hex, 'hex') }
    : readLdapHash(text)
  return found && found.hash.length === lengths[found.digest] ? found : null
}

function readLdapHash(text: string): WeakHash | null {
  const [, name = '', encoded = ''] = ldap.exec(text) ?? []
  const digest = name === 'SHA' ? 'sha1' : name.toLowerCase()
  const bytes = bytesOfBase64(encoded)
  if (!isDigest(digest) || !bytes) return null
  const length = lengths[digest]
  return { digest, salt: bytes.subarray(length), place: 'after', hash: bytes.subarray(0, length) }
}
