import * as z from 'zod'

/** JSON that stands in JSON as text. */
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
export function keycloakHash(credential: unknown): string | null {
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
