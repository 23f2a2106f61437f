import type { Done, Flow } from '../flow.ts'
import { formOf } from '../form.ts'
import { soleMemberNote } from '../org/titles.ts'
import type { Ports } from '../ports.ts'
import { confirmDeletion } from './confirm-deletion.ts'
import {
  askDeletion,
  type DeletedAccount,
  deletedFields,
  deletionConsent,
  deletionNote,
  forgetDeleted,
  soleOrganizations,
} from './deletion.ts'
import { passwordField, wrongPassword } from './fields.ts'
import { type Me, signedInUser } from './me.ts'
import { shownUser } from './users.ts'

const fields = { password: { ...passwordField, isOptional: true, refusals: wrongPassword } } as const

export const deleteAccount: Flow<Me, typeof fields, unknown, DeletedAccount> = {
  command: 'account delete',
  summary: 'Delete the signed-in user for good; --confirm repeats the address, --yes is not enough',
  title: 'Delete the account',
  writes: true,
  needsSession: true,
  subject: signedInUser,
  fields,
  call: '/delete-user',
  answer: deletedFields,
  examples: [
    '',
    '--confirm alice@example.com --password-file - < password.txt',
    '--confirm alice@example.com --token-file - < link.txt',
  ],
  consent: deletionConsent,
  readsLatest: true,
  note: (me) => `${deletionNote(me)}; the password may stay empty where you have just signed in.`,
  run: async (ports, me, { password }) => {
    const { message, organizations } = await askDeletion(ports, password === undefined ? {} : { password })
    return message === 'User deleted' ? forgetDeleted(ports, me.user, organizations) : mailed(ports, me)
  },
}

async function mailed(ports: Ports, me: Me): Promise<Done<DeletedAccount>> {
  const { email } = me.user
  const organizations = await soleOrganizations(ports)
  const note = soleMemberNote(organizations)
  return {
    sentence: `Mailed ${email} for consent; nothing is deleted yet`,
    status: 'planned',
    resource: { ...shownUser(me.user), organizations },
    ...(note !== undefined && { notes: [note] }),
    next: formOf(confirmDeletion, { subjects: [me], given: { confirm: email } }),
    nextWords: 'Then',
  }
}
