import { describe, expect, it } from 'vitest'
import { ProvenAddress } from './proven-address.ts'
import {
  type AccountLinkCapability,
  linkCapabilityByAddress,
  requireFreshSession,
  type SignInMethodCapability,
} from './sign-in-method-capability.ts'

const user = { id: 'ann', email: 'ann@example.com', emailVerified: true }
const stated = (by: string, identity = user) => ProvenAddress.statedByProvider(['google'], by, identity)

describe('who may add a way in', () => {
  it('is a fresh session', () => {
    expect(requireFreshSession({ user, isFresh: true }).userId).toBe('ann')
    expect(() => requireFreshSession({ user, isFresh: false })).toThrow('Session is not fresh')
  })

  it.each([
    ['a trusted provider that states it as verified', stated('google'), true],
    ['a trusted provider that does not', stated('google', { ...user, emailVerified: false }), false],
    ['any other provider', stated('discord'), false],
    ['a trusted provider, of another address', stated('google', { ...user, email: 'ann@example.org' }), false],
    ['a session that has proved it', ProvenAddress.ofSession({ addressProven: true }, user), true],
    ['a session that has not', ProvenAddress.ofSession({ addressProven: false }, user), false],
  ])('or, for a link, who owns the address, by the word of %s: %s %s', (_by, address, may) => {
    expect((address && linkCapabilityByAddress(address, user)) !== null).toBe(may)
  })

  it('cannot be made up, and the one for a link makes no key', () => {
    const made = { userId: 'ann', reason: 'fresh session' } as const
    // @ts-expect-error: only the functions of the file make one
    const madeUp: AccountLinkCapability = made
    const proof = { email: 'ann@example.com', proof: 'provider' } as const
    // @ts-expect-error: only a proof makes one
    const address: ProvenAddress = proof
    const link = linkCapabilityByAddress(ProvenAddress.statedByAdmin(user.email), user) as AccountLinkCapability
    // @ts-expect-error: a link alone
    const any: SignInMethodCapability = link
    expect([madeUp, any, address]).toHaveLength(3)
  })
})
