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
