import { isDeepStrictEqual } from 'node:util'
import type { FullUser, Session } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { newNameField, pictureExample, pictureProblem } from '../field-checks.ts'
import type { Flow, Subject } from '../flow.ts'
import { inverseOf, ofGiven } from '../inverse.ts'
import type { Sheet } from '../listing.ts'
import { ownFieldsFlag, ownValuesIn, ownWordsOf } from '../own-fields.ts'
import { languageField, languageIn, languageOptions, languageWord } from './fields.ts'
import { fullUserFields, type ShownUser, toShownUser, userColumns } from './users.ts'

/** The signed-in user, as far as loaded. */
export interface CurrentUser {
  readonly user: FullUser
  /** Absent: not loaded. */
  readonly session?: Pick<Session, 'addressProven'> | undefined
  /** Undefined: not loaded or not available. */
  readonly organizations?: readonly ListedOrganization[] | undefined
}

/** Bypasses the session cache, because decisions depend on fresh data. */
export const signedInUser: Subject<CurrentUser> = {
  finder: async (context) => {
    const { user, session } = await context.session({ disableCookieCache: 'true' })
    return () => ({ user, session })
  },
  words: () => ({}),
}

/** The signed-in user: a screen knows them, and a command does not have to look them up. */
export const optionalUser: Subject<CurrentUser | undefined> = { finder: async () => () => undefined, words: () => ({}) }

/** Whether nothing is left to prove: the address is verified, and this session was opened in a way that proves it. */
export const isAddressProven = ({ user, session }: Pick<CurrentUser, 'user' | 'session'>): boolean =>
  user.emailVerified && session?.addressProven !== false

/** The state of the address, for people. */
export function addressState(me: Pick<CurrentUser, 'user' | 'session'>): string {
  if (!me.user.emailVerified) return 'not verified'
  return isAddressProven(me) ? 'verified' : 'verified, but not proven by this sign-in'
}

export const accountView: Sheet<ShownUser> = {
  command: 'account view',
  summary: 'The signed-in user',
  fields: {},
  call: '/get-session',
  answer: fullUserFields,
  columns: userColumns,
  examples: ['', '--json=name,image'],
  view: async (context) => toShownUser((await context.session()).user),
}

const fields = {
  name: newNameField,
  image: {
    kind: 'text',
    label: 'Image URL',
    flag: '--image <url>',
    example: pictureExample,
    summary: 'address of the new image; empty removes it',
    isOptional: true,
    check: pictureProblem,
  },
  language: languageField,
  fields: ownFieldsFlag,
} as const

/** An edit command without changes needs the current values to propose them. */
const editSubject: Subject<CurrentUser | undefined, typeof fields> = {
  ...optionalUser,
  finder: (context, { name, image, language, fields: given }, words) =>
    ((name ?? image ?? language ?? given) === undefined ? signedInUser : optionalUser).finder(context, {}, words),
}

const editable = ({ name, image, language }: Pick<ShownUser, 'name' | 'image' | 'language'>) => ({
  name,
  image: image ?? '',
  language: languageWord({ language }),
})

export const editProfile: Flow<CurrentUser | undefined, typeof fields, unknown, ShownUser> = {
  command: 'account edit',
  summary: 'Change the name, the image, the language or the fields of the signed-in user',
  title: 'Edit profile',
  subject: editSubject,
  fields,
  own: { of: 'user', by: 'person', valuesOf: (me) => me?.user.fields },
  isEdit: true,
  call: '/update-user',
  answer: fullUserFields,
  examples: ['--name "Alice Liddell"', '--image ""', '--language de', '--field company=Acme'],
  options: () => languageOptions(),
  initial: ([me]) => (me ? editable(me.user) : {}),
  run: async (context, _, { name, image, language, fields: given }) => {
    const { api } = await context.signedIn()
    await api.account.updateUser({
      ...(name !== undefined && { name }),
      ...(image !== undefined && { image: image === '' ? null : image }),
      ...languageIn(language),
      ...ownValuesIn(given),
    })
    const { user } = await context.session()
    return { sentence: `Updated ${user.email}`, status: 'updated', resource: toShownUser(user) }
  },
  inverse: ({ subject, values, resource }) => {
    if (!subject) return undefined
    const changed = (one: Pick<ShownUser, 'name' | 'image' | 'language' | 'fields'>) => ({
      ...ofGiven(editable(one), values),
      fields: ownWordsOf(one, values.fields),
    })
    return inverseOf(editProfile, {
      subject,
      values: changed(subject.user),
      what: 'Your profile',
      isUnchanged: async (context) => {
        const { user } = await context.session({ disableCookieCache: 'true' })
        return user.id === resource.id && isDeepStrictEqual(changed(user), changed(resource))
      },
    })
  },
}
