import type { User } from '../../shared/entities.ts'
import { Failure } from '../../shared/failure.ts'
import type { Caller } from './client.ts'
import type { ProvenAddress } from './proven-address.ts'

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

class ByOwner {
  protected readonly reason = 'owner of the address'
  readonly userId: string
  constructor(userId: string) {
    this.userId = userId
  }
}

/** May add any way in to this user: a key, a trust rule, an account at a provider. */
export type MayAddWayIn = ByFreshSession

/** May link an account at a provider to this user, and nothing else. */
export type MayLink = ByFreshSession | ByOwner

/** Only a person who has proven who they are within the fresh age; never an impersonator, never a machine. */
export function requireFresh({
  user,
  isFresh,
}: Pick<Caller, 'isFresh'> & { readonly user: Pick<User, 'id'> }): MayAddWayIn {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  return new ByFreshSession(user.id)
}

/** A thief of a session cannot prove its owner's address. Null: the proven address is another one. */
export const ownsAddressOf = (address: ProvenAddress, user: Pick<User, 'id' | 'email'>): MayLink | null =>
  address.email === user.email ? new ByOwner(user.id) : null
