import type { FullUser } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import type { Subject } from '../flow.ts'

/** The signed-in person, as far as they are known. */
export interface Me {
  readonly user: FullUser
  /** Undefined: not known, or not to be had. */
  readonly organizations?: readonly ListedOrganization[] | undefined
}

/** Asked past the cache: what hangs on it does not rest on an old copy. */
export const signedInUser: Subject<Me> = {
  finder: async (ports) => {
    const { user } = await ports.session({ disableCookieCache: 'true' })
    return () => ({ user })
  },
  words: () => ({}),
}

/** Whoever is signed in: a screen knows them, and a command need not ask. */
export const optionalUser: Subject<Me | undefined> = { finder: async () => () => undefined, words: () => ({}) }
