import * as z from 'zod'
import { unpaddedBase64 } from '../../../crypto/stored-hash/bytes.ts'
import { firebaseText } from '../../../crypto/stored-hash/foreign-hash.ts'
import { type Converter, convertEach, type Made, text } from './converter.ts'
import { readTable } from './entries.ts'
import { recordsOf } from './person.ts'

/** A row of the export of the dashboard. */
const User = z.looseObject({
  id: z.string(),
  first_name: text,
  last_name: text,
  username: text,
  primary_email_address: text,
  verified_email_addresses: text,
  totp_secret: text,
  password_digest: text,
  password_hasher: text,
  created_at: text,
})
type User = z.output<typeof User>

/** Identities at providers and organizations are not in the file. */
export const convertClerk: Converter = ([file = '']) => convertEach(readTable(file), User, recordsOfUser)

function recordsOfUser(user: User): readonly Made[] {
  const email = user.primary_email_address
  const verified = (user.verified_email_addresses ?? '').toLowerCase().split(/[\s,;|"[\]]+/)
  const person = {
    id: user.id,
    email,
    emailVerified: verified.includes((email ?? '').toLowerCase()),
    name: [user.first_name, user.last_name].filter(Boolean).join(' ') || user.username,
    hasSecondFactor: Boolean(user.totp_secret),
    createdAt: user.created_at,
  }
  const digest = user.password_digest
  return recordsOf(person, [], digest ? hashOf(digest, user.password_hasher ?? 'bcrypt') : null)
}

/** The other hashers write their algorithm and cost into the hash. */
function hashOf(digest: string, hasher: string): string {
  if (hasher === 'md5' || hasher === 'sha256') return `${hasher}$$${digest}`
  if (hasher === 'pbkdf2_sha256') return digest.replace(/^pbkdf2_sha256\$/, '$pbkdf2-sha256$')
  if (hasher === 'pbkdf2_sha1') return sha1Hash(digest)
  if (hasher === 'scrypt_firebase') return firebaseHash(digest)
  return digest
}

/** Its key is in hex, perhaps followed by its length. So is its salt, unless that is no hex: then it is the text itself. */
function sha1Hash(digest: string): string {
  const [, iterations, salt = '', key = ''] =
    /^pbkdf2_sha1\$(\d+)\$([^$]+)\$((?:[0-9a-f]{2})+)(?:\$\d+)?$/i.exec(digest) ?? []
  if (iterations === undefined) return digest
  const bytes = Buffer.from(salt, /^(?:[0-9a-f]{2})+$/i.test(salt) ? 'hex' : 'utf8')
  return `$pbkdf2$i=${iterations}$${unpaddedBase64(bytes)}$${unpaddedBase64(Buffer.from(key, 'hex'))}`
}

function firebaseHash(digest: string): string {
  const [hash = '', salt = '', signerKey = '', saltSeparator = '', rounds, memCost] = digest.split('$')
  return firebaseText(hash, salt, { signerKey, saltSeparator, rounds: Number(rounds), memCost: Number(memCost) })
}
