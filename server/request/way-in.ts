import type { User } from '../../shared/entities.ts'
import { Failure } from '../../shared/failure.ts'
import type { Caller } from './client.ts'
import type { ProvenAddress } from './proven-address.ts'

// A sign-in method outlives the session that adds it (ASVS 7.5.1). The SQL that stores one requires a capability from
// this file, and only the functions below create one, so code that skips the check does not compile.

/** The protected field keeps objects of the same shape from passing as a capability. */
class ByFreshSession {
  protected readonly reason = 'fresh session'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

class ByOwner {
  protected readonly reason = 'owner of the address'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

/** Permits adding any access to this user: a key, a trust rule, or an account at a provider. */
export type MayAddWayIn = ByFreshSession

/** Permits linking an account at a provider to this user, and nothing else. */
export type MayLink = ByFreshSession | ByOwner

/** Requires a person who proved who they are within the fresh age; never an impersonator or a machine. */
export function requireFresh({
  user,
  isFresh,
}: Pick<Caller, 'isFresh'> & { readonly user: Pick<User, 'id'> }): MayAddWayIn {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  return new ByFreshSession(user.id)
}

/**
 * Permits a link by proof of the user's own address, which a thief of a session cannot give. Null when the proven
 * address is another one.
 */
export const ownsAddressOf = (address: ProvenAddress, user: Pick<User, 'id' | 'email'>): MayLink | null =>
  address.email === user.email ? new ByOwner(user.id) : null
