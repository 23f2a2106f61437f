import type { FullUser, Session } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import type { Subject } from '../flow.ts'
import type { Sheet } from '../listing.ts'
import { fullUserFields, type ShownUser, shownUser, userColumns } from './users.ts'

/** The signed-in person, as far as they are known. */
export interface Me {
  readonly user: FullUser
  /** Absent: not looked at. */
  readonly session?: Pick<Session, 'addressProven'> | undefined
  /** Undefined: not known, or not to be had. */
  readonly organizations?: readonly ListedOrganization[] | undefined
}

/** Asked past the cache: what hangs on it does not rest on an old copy. */
export const signedInUser: Subject<Me> = {
  finder: async (ports) => {
    const { user, session } = await ports.session({ disableCookieCache: 'true' })
    return () => ({ user, session })
  },
  words: () => ({}),
}

/** Whoever is signed in: a screen knows them, and a command need not ask. */
export const optionalUser: Subject<Me | undefined> = { finder: async () => () => undefined, words: () => ({}) }

/** Whether there is nothing left to prove: the address is verified, and this session's way in has proved it. */
export const isAddressProven = ({ user, session }: Pick<Me, 'user' | 'session'>): boolean =>
  user.emailVerified && session?.addressProven !== false

/** What people are told of an address. */
export function addressState(me: Pick<Me, 'user' | 'session'>): string {
  if (!me.user.emailVerified) return 'not verified'
  return isAddressProven(me) ? 'verified' : 'verified, but not by the way you signed in'
}

export const accountView: Sheet<ShownUser> = {
  command: 'account view',
  summary: 'The signed-in user',
  fields: {},
  call: '/get-session',
  answer: fullUserFields,
  columns: userColumns,
  examples: ['', '--json=name,image'],
  view: async (ports) => shownUser((await ports.session()).user),
}
