import * as z from 'zod'

const Text = z.looseObject({ value: z.string(), encoding: z.enum(['utf8', 'hex', 'base64']).optional() })

/** `custom_password_hash` of a file for Auth0's import. */
export const CustomHash = z.looseObject({
  algorithm: z.string(),
  hash: Text,
  salt: Text.extend({ position: z.enum(['prefix', 'suffix']).optional() }).optional(),
  cost: z.number().optional(),
  blockSize: z.number().optional(),
  parallelization: z.number().optional(),
})
type CustomHash = z.output<typeof CustomHash>

/** These have their parameters in the text. */
const whole: ReadonlySet<string> = new Set(['argon2', 'bcrypt', 'ldap', 'pbkdf2'])
const weak: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512'])

/** The hash as text; null for one that is never taken, such as an HMAC. */
export function auth0Hash({ algorithm, hash, salt, ...cost }: CustomHash): string | null {
  if (whole.has(algorithm)) return hash.value
  if (weak.has(algorithm)) return weakText(algorithm, bytesOf(hash), salt)
  if (algorithm !== 'scrypt' || !salt) return null
  const { cost: n = 16_384, blockSize: r = 8, parallelization: p = 1 } = cost
  return `$scrypt$ln=${Math.log2(n)},r=${r},p=${p}$${base64(bytesOf(salt))}$${base64(bytesOf(hash))}`
}

/** LDAP's form has the salt behind the password, Django's before it, as text. */
function weakText(digest: string, hash: Buffer, salt: CustomHash['salt']): string | null {
  if (salt?.position === 'suffix') {
    const name = digest.replace('sha1', 'sha').toUpperCase()
    return `{S${name}}${Buffer.concat([hash, bytesOf(salt)]).toString('base64')}`
  }
  const before = salt ? bytesOf(salt).toString() : ''
  const isText = !salt || Buffer.from(before).equals(bytesOf(salt))
  return isText && !before.includes('$') ? `${digest}$${before}$${hash.toString('hex')}` : null
}

const bytesOf = ({ value, encoding = 'utf8' }: z.output<typeof Text>): Buffer => Buffer.from(value, encoding)
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
