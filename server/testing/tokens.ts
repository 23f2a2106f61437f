import { createLocalJWKSet, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { TestService } from './service.ts'
import type { Visitor } from './visitor.ts'

/** Somebody who is signed in with a platform role. */
export async function personWithRole(service: TestService, ...roles: string[]) {
  const person = await service.person()
  await service.deps.sql`update users set roles = ${roles} where email = ${person.email}`
  return person
}

export const tokenOf = async (visitor: Visitor): Promise<string> => (await visitor.get('/token')).body.token

/** The published keys. */
export const keysAt = async (service: TestService): Promise<{ keys: { kid: string; alg: string }[] }> =>
  (await service.visitor().get('/jwks')).body

/** As another service would: by the keys that are published now. */
export async function verifyAt(service: TestService, token: string, options: JWTVerifyOptions = {}) {
  const { origin } = service.deps.config.BASE_URL
  const keys = createLocalJWKSet(await keysAt(service))
  return jwtVerify(token, keys, { issuer: origin, audience: origin, currentDate: service.deps.now(), ...options })
}

/** Lets time pass for the keys that are stored. Seconds. */
export async function ageKeys({ deps: { sql, tokenMemory } }: TestService, seconds: number): Promise<void> {
  const past = sql`make_interval(secs => ${seconds})`
  await sql`
    update signing_keys set
      created_at = created_at - ${past}, signs_from = signs_from - ${past}, published_until = published_until - ${past}
  `
  tokenMemory.forgetRing()
}

/** The keys of the trail's rows and of what is stored say nothing of who made them; this is what there is. */
export const storedKeys = ({ deps: { sql } }: TestService) =>
  sql<{ id: string; algorithm: string; privateKey: Buffer; isNewest: boolean; isPending: boolean }[]>`
    select id, algorithm, private_key, published_until is null as is_newest, signs_from > now() as is_pending
    from signing_keys order by published_until is null desc, signs_from desc, id desc
  `
