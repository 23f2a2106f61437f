import type { Flow } from '../flow.ts'
import { tokenIn } from '../links/mailed-link.ts'
import {
  askDeletion,
  type DeletedAccount,
  deletedFields,
  deletionConsent,
  deletionNote,
  forgetDeleted,
} from './deletion.ts'
import { linkField } from './fields.ts'
import { type Me, signedInUser } from './me.ts'

const fields = {
  link: {
    ...linkField,
    purpose: 'delete',
    flag: '--token-file <file>',
    summary: 'file that holds the link of the mail, or its token alone, - for stdin',
  },
} as const

export const confirmDeletion: Flow<Me, typeof fields, unknown, DeletedAccount> = {
  command: 'account delete --token-file FILE',
  summary: 'Delete the signed-in user for good by the link of a mail',
  title: 'Delete the account by a link',
  writes: true,
  needsSession: true,
  subject: signedInUser,
  fields,
  call: '/delete-user',
  answer: deletedFields,
  examples: ['--confirm alice@example.com --token-file - < link.txt'],
  consent: deletionConsent,
  readsLatest: true,
  note: (me) => `${deletionNote(me)}.`,
  run: async (ports, { user }, { link }) => {
    const { server } = await ports.signedIn()
    const { organizations } = await askDeletion(ports, { token: await tokenIn(link, 'delete', server) })
    return forgetDeleted(ports, user, organizations)
  },
}
