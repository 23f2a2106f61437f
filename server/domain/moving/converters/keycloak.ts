import * as z from 'zod'
import { type Converted, type Converter, convertEach, type Made, optional, text } from './converter.ts'
import { readList } from './entries.ts'
import { credential, type Identity, ownProvider, providerOf, recordsOf } from './person.ts'

/** A text that is a JSON document itself. */
const inText = <T extends z.ZodType>(shape: T) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue('is no JSON')
        return z.NEVER
      }
    })
    .pipe(shape)

const Argon2 = z.looseObject({
  type: z.tuple([z.string()]).default(['id']),
  version: z.tuple([z.enum(['1.0', '1.3'])]).default(['1.3']),
  memory: z.tuple([z.string()]),
  parallelism: z.tuple([z.string()]).default(['1']),
})

const Credential = z.looseObject({
  secretData: inText(z.looseObject({ value: z.string().default(''), salt: z.string().default('') })),
  credentialData: inText(
    z.looseObject({
      algorithm: z.string().default(''),
      hashIterations: z.number().default(0),
      additionalParameters: z.unknown().optional(),
    }),
  ),
})

/** The hash of a credential as text; null for one of another algorithm. */
function keycloakHash(credential: unknown): string | null {
  const { success, data: given } = Credential.safeParse(credential)
  if (!success) return null
  const { secretData: secret, credentialData: data } = given
  if (data.algorithm === 'bcrypt') return secret.value
  if (/^pbkdf2(-sha256|-sha512)?$/.test(data.algorithm))
    return `$${data.algorithm}$i=${data.hashIterations}$${secret.salt}$${secret.value}`
  const read = Argon2.safeParse(data.additionalParameters)
  if (data.algorithm !== 'argon2' || !read.success) return null
  const { type, version, memory, parallelism } = read.data
  const numbers = `v=${version[0] === '1.0' ? 16 : 19}$m=${memory[0]},t=${data.hashIterations},p=${parallelism[0]}`
  return `$argon2${type[0]}$${numbers}$${unpadded(secret.salt)}$${unpadded(secret.value)}`
}

const unpadded = (base64: string): string => base64.replace(/=+$/, '')

/** A user of a realm file. */
const User = z.looseObject({
  id: z.string().min(1),
  username: text,
  email: text,
  emailVerified: optional(z.boolean()),
  firstName: text,
  lastName: text,
  enabled: optional(z.boolean()),
  createdTimestamp: optional(z.number()),
  serviceAccountClientId: text,
  credentials: optional(z.array(z.looseObject({ type: text }))),
  federatedIdentities: optional(z.array(z.looseObject({ identityProvider: z.string(), userId: z.string() }))),
})
type User = z.output<typeof User>

/** From Keycloak 26 on. */
const Organization = z.looseObject({
  id: z.string(),
  name: z.string(),
  alias: text,
  members: optional(z.array(z.looseObject({ username: z.string() }))),
})
type Organization = z.output<typeof Organization>

/** A provider that the realm set up. `providerId`: which kind it is. */
const Broker = z.looseObject({
  alias: z.string(),
  providerId: z.string(),
  config: optional(z.looseObject({ baseUrl: text, apiUrl: text })),
})

/** The file of a realm, or its files of users. Groups and roles stay. */
export const convertKeycloak: Converter = async function* convertKeycloak(files) {
  const ids = new Map<string, string>()
  const usual = await usualAliases(files)
  yield* fromEach(files, 'users', User, (user) => {
    if (user.username) ids.set(user.username, user.id)
    return recordsOfUser(user, usual)
  })
  yield* fromEach(files, 'organizations', Organization, (organization) => recordsOfOrganization(organization, ids))
}

async function* fromEach<T>(
  files: readonly string[],
  list: string,
  shape: z.ZodType<T>,
  make: (value: T) => readonly Made[],
): AsyncGenerator<Converted> {
  for (const file of files) yield* convertEach(readList(file, list), shape, make)
}

const secondFactors: ReadonlySet<string> = new Set(['otp', 'webauthn', 'recovery-authn-codes'])

/** Aliases that stand for the provider whose name they have, and not for a server of the operator's own. */
async function usualAliases(files: readonly string[]): Promise<ReadonlySet<string>> {
  const aliases = new Set<string>()
  for (const file of files)
    for await (const { value } of readList(file, 'identityProviders')) {
      const { alias, providerId, config } = Broker.safeParse(value).data ?? {}
      if (alias !== undefined && alias === providerId && !config?.baseUrl && !config?.apiUrl) aliases.add(alias)
    }
  return aliases
}

/** The account of a client is not a person's, and is left out. */
function recordsOfUser(user: User, usual: ReadonlySet<string>): readonly Made[] {
  if (user.serviceAccountClientId) return []
  const person = {
    id: user.id,
    email: user.email,
    emailVerified: user.emailVerified ?? false,
    name: [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username,
    isBanned: user.enabled === false,
    hasSecondFactor: user.credentials?.some(({ type }) => type && secondFactors.has(type)),
    createdAt: user.createdTimestamp,
  }
  const password = user.credentials?.find(({ type }) => type === 'password')
  const hash = password ? keycloakHash(password) : null
  const made = recordsOf(person, identitiesOf(user, usual), hash)
  const isUnknown = password && hash === null
  return isUnknown ? [...made, { record: { ...credential(user.id, ''), id: user.id }, problem: 'HASH_UNKNOWN' }] : made
}

const others = { microsoft: null, 'linkedin-openid-connect': 'linkedin' } as const

const identitiesOf = ({ federatedIdentities }: User, usual: ReadonlySet<string>): readonly Identity[] =>
  (federatedIdentities ?? []).map(({ identityProvider: name, userId: accountId }) => ({
    name,
    provider: usual.has(name) ? providerOf(name, others) : Object.hasOwn(others, name) ? null : ownProvider(name),
    accountId,
  }))

function recordsOfOrganization({ id, name, alias, members }: Organization, ids: ReadonlyMap<string, string>) {
  const slug = alias ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const joined = (members ?? []).map(({ username }): Made => {
    const userId = ids.get(username)
    const record = { type: 'member', organizationId: id, userId: userId ?? username }
    return userId === undefined ? { record: { ...record, id: username }, problem: 'USER_UNKNOWN' } : { record }
  })
  return [{ record: { type: 'organization', id, name, slug } }, ...joined]
}
