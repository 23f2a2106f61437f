import type { User } from '../../shared/entities.ts'
import { Failure } from '../../shared/failure.ts'
import type { Caller } from './client.ts'
import type { ProvenAddress } from './proven-address.ts'

// A sign-in method outlives the session that adds it (ASVS 7.5.1). The SQL that stores one requires a capability from
// this file, and only the functions below create one, so code that skips the check does not compile.

/** The protected field keeps objects of the same shape from passing as a capability. */
class FreshSessionCapability {
  protected readonly reason = 'fresh session'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

class AddressOwnerCapability {
  protected readonly reason = 'owner of the address'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

/** Permits adding any access to this user: a key, a trust rule, or an account at a provider. */
export type SignInMethodCapability = FreshSessionCapability

/** Permits linking an account at a provider to this user, and nothing else. */
export type AccountLinkCapability = FreshSessionCapability | AddressOwnerCapability

/** Requires a person who proved who they are within the fresh age; never an impersonator or a machine. */
export function requireFreshSession({
  user,
  isFresh,
}: Pick<Caller, 'isFresh'> & { readonly user: Pick<User, 'id'> }): SignInMethodCapability {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  return new FreshSessionCapability(user.id)
}

/**
 * Permits a link by proof of the user's own address, which a thief of a session cannot give. Null when the proven
 * address is another one.
 */
export const linkCapabilityByAddress = (
  address: ProvenAddress,
  user: Pick<User, 'id' | 'email'>,
): AccountLinkCapability | null => (address.email === user.email ? new AddressOwnerCapability(user.id) : null)
