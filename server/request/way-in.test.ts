import { describe, expect, it } from 'vitest'
import { type MayAddWayIn, type MayLink, requireFresh, sameProvenAddress } from './way-in.ts'

const user = { id: 'ann', email: 'ann@example.com', emailVerified: true }

describe('who may add a way in', () => {
  it('is a fresh session', () => {
    expect(requireFresh({ user, isFresh: true }).userId).toBe('ann')
    expect(() => requireFresh({ user, isFresh: false })).toThrow('Session is not fresh')
  })

  it.each([
    { here: {}, there: {}, may: true },
    { here: { emailVerified: false }, there: {}, may: false },
    { here: {}, there: { emailVerified: false }, may: false },
    { here: {}, there: { email: 'ann@example.org' }, may: false },
  ])('or, for a link, the same address proven here $here and there $there: $may', ({ here, there, may }) => {
    expect(sameProvenAddress({ ...user, ...there }, { ...user, ...here }) !== null).toBe(may)
  })

  it('cannot be made up, and the one for a link makes no key', () => {
    const made = { userId: 'ann', reason: 'fresh session' } as const
    // @ts-expect-error: only the functions of the file make one
    const madeUp: MayLink = made
    const link = sameProvenAddress(user, user) as MayLink
    // @ts-expect-error: a link alone
    const any: MayAddWayIn = link
    expect([madeUp, any]).toHaveLength(2)
  })
})
