import type { User } from '../../shared/entities.ts'
import { Failure } from '../../shared/failure.ts'
import type { Caller } from './client.ts'

// A way in outlives the session that adds it (ASVS 7.5.1). The SQL that stores one takes a capability of this file, and only
// the functions below make one: whoever forgets to check does not compile.

/** Its protected field makes a look-alike no capability. */
class ByFreshSession {
  protected readonly reason = 'fresh session'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

class BySameAddress {
  protected readonly reason = 'same address'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

/** May add any way in to this user: a key, a trust rule, an account at a provider. */
export type MayAddWayIn = ByFreshSession

/** May link an account at a provider to this user, and nothing else. */
export type MayLink = ByFreshSession | BySameAddress

/** Only a person who has proven who they are within the fresh age; never an impersonator, never a machine. */
export function requireFresh({
  user,
  isFresh,
}: Pick<Caller, 'isFresh'> & { readonly user: Pick<User, 'id'> }): MayAddWayIn {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  return new ByFreshSession(user.id)
}

/** The address that a user has proven to own; null: none. */
const provenAddressOf = ({ email, emailVerified }: AddressOwner): string | null => (emailVerified ? email : null)
type AddressOwner = Pick<User, 'email' | 'emailVerified'>

/** A thief of a session has no account at a provider that states its owner's address as verified. Null: the addresses differ. */
export function sameProvenAddress(
  { email, emailVerified }: AddressOwner,
  user: AddressOwner & Pick<User, 'id'>,
): MayLink | null {
  return emailVerified && email === provenAddressOf(user) ? new BySameAddress(user.id) : null
}
