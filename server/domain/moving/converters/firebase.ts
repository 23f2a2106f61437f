import * as z from 'zod'
import { type FirebaseProject, firebaseText } from '../../../crypto/stored-hash/foreign-hash.ts'
import { type Converter, convertEach, type Made, text } from './converter.ts'
import { readList } from './entries.ts'
import { credential, type Identity, ownProvider, providerOf, recordsOf } from './person.ts'

/** A user of `firebase auth:export users.json`, or of `accounts:batchGet`, which also tells what that leaves out. */
const User = z.looseObject({
  localId: z.string().min(1),
  email: text,
  emailVerified: z.boolean().optional(),
  displayName: text,
  photoUrl: text,
  disabled: z.boolean().optional(),
  createdAt: text,
  passwordHash: text,
  salt: text,
  /** Of the hash: anything but 0 marks one that was imported there from another service. */
  version: z.number().optional(),
  mfaInfo: z.array(z.unknown()).optional(),
  providerUserInfo: z.array(z.looseObject({ providerId: z.string(), rawId: text, email: text })).optional(),
})
type User = z.output<typeof User>

export const convertFirebase: Converter = ([file = ''], { project }) =>
  convertEach(readList(file, 'users'), User, (user) => recordsOfUser(user, project))

function recordsOfUser(user: User, project: FirebaseProject | undefined): readonly Made[] {
  const person = {
    id: user.localId,
    email: user.email,
    emailVerified: user.emailVerified ?? false,
    name: user.displayName,
    image: user.photoUrl,
    isBanned: user.disabled ?? false,
    hasSecondFactor: (user.mfaInfo ?? []).length > 0,
    createdAt: user.createdAt,
  }
  const hash = user.passwordHash
  if (!hash) return recordsOf(person, identitiesOf(user))
  if (project && !user.version)
    return recordsOf(person, identitiesOf(user), firebaseText(plain(hash), plain(user.salt ?? ''), project))
  const record = { ...credential(user.localId, ''), id: user.localId }
  const problem = user.version ? 'HASH_UNKNOWN' : 'HASH_CONFIG_MISSING'
  return [...recordsOf(person, identitiesOf(user)), { record, problem }]
}

/** Some versions write Base64 for addresses. */
const plain = (base64: string): string => base64.replaceAll('-', '+').replaceAll('_', '/')

/** Ways to sign in at Firebase itself. */
const ownWays: ReadonlySet<string> = new Set(['password', 'phone', 'emailLink', 'anonymous'])

const others = {
  'google.com': 'google',
  'github.com': 'github',
  'facebook.com': 'facebook',
  'apple.com': 'apple',
  'twitter.com': 'twitter',
  'microsoft.com': null,
  'playgames.google.com': null,
  'gc.apple.com': null,
} as const

function identitiesOf({ providerUserInfo = [] }: User): readonly Identity[] {
  return providerUserInfo
    .filter(({ providerId }) => !ownWays.has(providerId))
    .map(({ providerId, rawId, email: told }) => ({
      name: providerId,
      provider: rawId ? nameOf(providerId) : null,
      accountId: rawId ?? '',
      email: told,
    }))
}

const nameOf = (providerId: string): string | null =>
  providerId.startsWith('oidc.') ? ownProvider(providerId.slice(5)) : providerOf(providerId, others)
