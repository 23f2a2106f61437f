import { expect, it } from 'vitest'
import { findIdentity } from '../../db/identities.ts'
import { testClient } from '../../testing/client.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { idTokenOf, personAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import { passwordCallLimits } from '../limits.ts'
import { verifyIdToken } from './verify-identity.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), TRUSTED_PROVIDERS: 'google' }))

const refusals = {
  isInvalid: 'ONE_TAP_TOKEN_INVALID',
  hasNoEmail: 'ONE_TAP_EMAIL_MISSING',
  isNobody: 'ONE_TAP_TOKEN_INVALID',
} as const

/** What a provider that we trust vouches for. */
async function verified() {
  const { sub, email } = personAt()
  const configured = service.deps.providers.find('google')
  if (!configured) throw new Error('Google is not set up')
  const given = {
    token: await idTokenOf(provider, { sub, email }),
    nonce: null,
    limits: passwordCallLimits(service.deps, 'sign-in', testClient()),
    tokensOf: noTokens,
    refusals,
  }
  return verifyIdToken(service.deps, testClient(), configured, given)
}
const noTokens = (): never => {
  throw new Error('nothing is stored')
}

type Found = NonNullable<Awaited<ReturnType<typeof findIdentity>>>
type Verified = Awaited<ReturnType<typeof verified>>

it('an identity proves the user whom it was found to lead to, and nobody else', async () => {
  const [ann, bob, stranger] = [await verified(), await verified(), await service.person()]
  const findBy = async ({ key }: Verified, email: string) => (await findIdentity(service.deps.sql, key, email))!
  await service.deps.sql`update users set email = ${ann.identity.email} where email = ${stranger.email}`
  const found: Found = await findBy(ann, ann.identity.email)
  // Nobody has proven it yet, and the stranger is signed in.
  const unproven = {
    account: null,
    isProven: false,
    unproven: ['credential'],
    hasProof: false,
    hasUnprovenSession: true,
  }
  expect(found).toMatchObject(unproven)
  expect(ann.proofOf(found)).toMatchObject({ kind: 'identity', holder: { id: found.user.id }, provesAddress: true })
  expect(() => bob.proofOf(found)).toThrow('An identity proves no other user than its own')
  // Found by an address that the provider did not vouch for.
  const other = await service.person()
  await proveAddress(service.deps.sql, other.email)
  const foreign = await findBy(ann, other.email)
  expect(foreign).toMatchObject({ ...unproven, unproven: [], hasProof: true, hasUnprovenSession: false })
  expect(() => ann.proofOf(foreign)).toThrow('An identity proves no other user than its own')
  // @ts-expect-error: a user that nobody looked up by an identity is none that it proves
  const attempt = () => ann.proofOf({ user: found.user, isBanned: false })
  expect(attempt).toThrow(TypeError)
  expect(ann.newUser().proof.holder?.id).not.toBe(found.user.id)
})
