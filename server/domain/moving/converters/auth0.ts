import * as z from 'zod'
import { unpaddedBase64 } from '../../../crypto/stored-hash/bytes.ts'
import { type Converter, convertEach, type Made, optional, text } from './converter.ts'
import { readRecords } from './entries.ts'
import { credential, type Identity, proofOf, providerOf, recordsOf } from './person.ts'

const Text = z.looseObject({ value: z.string(), encoding: z.enum(['utf8', 'hex', 'base64']).optional() })

/** `custom_password_hash` of a file for Auth0's import. */
const CustomHash = z.looseObject({
  algorithm: z.string(),
  hash: Text,
  salt: Text.extend({ position: z.enum(['prefix', 'suffix']).optional() }).optional(),
  cost: z.number().optional(),
  blockSize: z.number().optional(),
  parallelization: z.number().optional(),
  password: optional(z.looseObject({ encoding: text })),
})
type CustomHash = z.output<typeof CustomHash>

/** These have their parameters in the text. */
const whole: ReadonlySet<string> = new Set(['argon2', 'bcrypt', 'ldap', 'pbkdf2'])
const weak: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512'])

/** The hash as text; null for one that is never taken, such as an HMAC, or one of a password in another encoding. */
function auth0Hash({ algorithm, hash, salt, password, ...cost }: CustomHash): string | null {
  if (!isUtf8(password)) return null
  if (whole.has(algorithm)) return hash.value
  if (weak.has(algorithm)) return weakText(algorithm, bytesOf(hash), salt)
  if (algorithm !== 'scrypt' || !salt) return null
  const { cost: n = 16_384, blockSize: r = 8, parallelization: p = 1 } = cost
  return `$scrypt$ln=${Math.log2(n)},r=${r},p=${p}$${unpaddedBase64(bytesOf(salt))}$${unpaddedBase64(bytesOf(hash))}`
}

const isUtf8 = (password: CustomHash['password']): boolean => (password?.encoding ?? 'utf8') === 'utf8'

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

const AnIdentity = z.looseObject({
  provider: z.string(),
  user_id: z.union([z.string(), z.number()]),
  profileData: optional(z.looseObject({ email: text, email_verified: optional(z.boolean()) })),
})

/** A user of the export job, or of a file for Auth0's import, which has hashes. */
const User = z.looseObject({
  user_id: z.string().min(1),
  email: text,
  email_verified: optional(z.boolean()),
  name: text,
  nickname: text,
  picture: text,
  blocked: optional(z.boolean()),
  created_at: text,
  updated_at: text,
  identities: optional(z.array(AnIdentity)),
  password_hash: text,
  custom_password_hash: optional(CustomHash),
  mfa_factors: optional(z.array(z.unknown())),
})
type User = z.output<typeof User>

/** A line of the password hashes, which Auth0's support exports. */
const Hash = z.looseObject({
  _id: z.union([z.string(), z.looseObject({ $oid: z.string() }).transform(({ $oid }) => $oid)]),
  passwordHash: z.string(),
})

/** The owner of a linked user of the database, and the address that this one verified. */
interface Linked {
  readonly userId: string
  readonly email?: string | null | undefined
}

const others = { 'google-oauth2': 'google', windowslive: null } as const
const database = 'auth0'

/** The users, then the file of password hashes, if there is one. */
export const convertAuth0: Converter = async function* convertAuth0([users = '', hashes]) {
  // Users of the database who are linked to another user.
  const owners = new Map<string, Linked>()
  yield* convertEach(readRecords(users), User, (user) => {
    const id = idOf(user)
    for (const { provider, user_id: own, profileData } of user.identities ?? [])
      if (provider === database && id !== `${database}|${own}`)
        owners.set(`${database}|${own}`, {
          userId: id,
          ...(profileData?.email_verified && { email: profileData.email }),
        })
    return recordsOfUser(id, user)
  })
  if (hashes === undefined) return
  yield* convertEach(readRecords(hashes), Hash, ({ _id: own, passwordHash }) => {
    const id = `${database}|${own}`
    const linked = owners.get(id)
    if (!linked) return [{ record: credential(id, passwordHash) }]
    return [{ record: { ...credential(linked.userId, passwordHash), ...proofOf(linked.email) } }]
  })
}

/** Auth0's import puts the prefix before ids without one. */
const idOf = ({ user_id: id }: User): string => (id.includes('|') ? id : `${database}|${id}`)

function recordsOfUser(id: string, user: User): readonly Made[] {
  const person = {
    id,
    email: user.email,
    emailVerified: user.email_verified ?? false,
    name: user.name ?? user.nickname,
    image: user.picture,
    isBanned: user.blocked ?? false,
    hasSecondFactor: (user.mfa_factors ?? []).length > 0,
    createdAt: user.created_at,
    updatedAt: user.updated_at,
  }
  const custom = user.custom_password_hash
  const password = user.password_hash ?? (custom ? auth0Hash(custom) : null)
  const made = recordsOf(person, identitiesOf(id, user), password)
  const isUnknown = custom && password === null
  return isUnknown ? [...made, { record: { ...credential(id, ''), id }, problem: 'HASH_UNKNOWN' }] : made
}

function identitiesOf(id: string, user: User): readonly Identity[] {
  const [prefix = '', ...rest] = id.split('|')
  const known = user.identities ?? [{ provider: prefix, user_id: rest.join('|') }]
  return known
    .filter(({ provider }) => provider !== database)
    .map(({ provider, user_id: accountId, profileData }) => {
      // The first identity has none: its profile is that of the user.
      const told = profileData ?? (id === `${provider}|${accountId}` ? user : {})
      return {
        name: provider,
        provider: providerOf(provider, others),
        accountId,
        email: told.email,
        isVerified: told.email_verified,
      }
    })
}
