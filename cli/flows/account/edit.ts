import type { Flow, Subject } from '../flow.ts'
import { newNameField } from '../name-field.ts'
import { pictureProblem } from '../picture.ts'
import { type Me, optionalUser, signedInUser } from './me.ts'
import { fullUserFields, type ShownUser, shownUser } from './users.ts'

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

const serverProblem = (text: string): string | undefined =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : 'A server looks like https://auth.example.com'

export const emailField = {
  kind: 'text',
  label: 'E-mail',
  flag: '--email <email>',
  summary: 'address of the account',
  isEmail: true,
} as const

/** The same; left out, it is the account that the run names. */
export const accountField = { ...emailField, isAccount: true } as const

export const passwordField = {
  kind: 'secret',
  label: 'Password',
  flag: '--password-file <file>',
  summary: 'file that holds the password, - for stdin',
  variable: 'POSTERN_PASSWORD_FILE',
} as const

/** Of a password that is chosen: the service alone knows how long, and how common, is too much. */
export const passwordRefusals = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'] as const

/** Of the password that there is: what was typed is another one. */
export const wrongPassword = ['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD'] as const

export const newPasswordField = {
  ...passwordField,
  refusals: passwordRefusals,
  label: 'New password',
  summary: 'file that holds the new password, - for stdin',
  isRepeated: true,
} as const

export const serverField = { kind: 'server', label: 'Server', check: serverProblem } as const

export const linkField = { kind: 'link', label: 'Link or token' } as const

/** The same as a command's argument. */
export const linkArgument = {
  ...linkField,
  argument: '[link]',
  summary: 'the link of the mail, or its token alone; - reads it from stdin',
} as const
