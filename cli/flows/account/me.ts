import type { FullUser, Session } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { newNameField, pictureProblem } from '../field-checks.ts'
import type { Flow, Subject } from '../flow.ts'
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

const fields = {
  name: newNameField,
  image: {
    kind: 'text',
    label: 'Image URL',
    flag: '--image <url>',
    summary: 'address of the new image; empty removes it',
    isOptional: true,
    check: pictureProblem,
  },
} as const

/** A command that was not told what to change has to know what is there. */
const whoEdits: Subject<Me | undefined, typeof fields> = {
  ...optionalUser,
  finder: (ports, { name, image }, words) =>
    ((name ?? image) === undefined ? signedInUser : optionalUser).finder(ports, {}, words),
}

export const editProfile: Flow<Me | undefined, typeof fields, unknown, ShownUser> = {
  command: 'account edit',
  summary: 'Change the name or the image of the signed-in user',
  title: 'Edit profile',
  writes: true,
  needsSession: true,
  subject: whoEdits,
  fields,
  isEdit: true,
  call: '/update-user',
  answer: fullUserFields,
  examples: ['--name "Alice Liddell"', '--image ""'],
  initial: ([me]) => (me ? { name: me.user.name, image: me.user.image ?? '' } : {}),
  run: async (ports, _, { name, image }) => {
    const { api } = await ports.signedIn()
    await api.account.updateUser({
      ...(name !== undefined && { name }),
      ...(image !== undefined && { image: image === '' ? null : image }),
    })
    const { user } = await ports.session()
    return { sentence: `Updated ${user.email}`, status: 'updated', resource: shownUser(user) }
  },
}
