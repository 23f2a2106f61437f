import * as z from 'zod'
import { FullUser } from '../entities.ts'
import { mailStates } from '../mail-states.ts'
import { pageFields } from '../organization.ts'
import { PersonData } from '../person-data.ts'
import { ListedMail, SupportedUser } from '../support.ts'
import { call } from './call.ts'

const post = { method: 'POST', access: 'session' } as const
const userId = z.string()
const mailId = z.string()

export const viewUser = call({
  method: 'GET',
  path: '/admin/view-user',
  summary: 'A user with everything that decides whether they can sign in',
  access: 'session',
  input: z.object({ userId }),
  output: SupportedUser,
  failures: ['USER_VIEW_FORBIDDEN', 'NO_SUCH_USER'],
  repeats: { userId: 'user.id' },
})

/**
 * Clears the limits on the account's sign-ins and mails. `limits`: the names of those that were used up. A ban stays.
 * Changes and records nothing when nothing was counted.
 */
export const unlockUser = call({
  ...post,
  path: '/admin/unlock-user',
  summary: 'Clear the limits that hold an account back',
  input: z.object({ userId }),
  output: z.object({ user: FullUser, limits: z.array(z.string()) }),
  failures: ['USER_UNLOCK_FORBIDDEN', 'NO_SUCH_USER'],
  repeats: { userId: 'user.id' },
})

/** Newest first. Shows neither links nor texts. */
export const listMails = call({
  method: 'GET',
  path: '/admin/list-mails',
  summary: 'The mails of the outbox, page by page',
  access: 'session',
  input: z.object({ ...pageFields, state: z.enum(mailStates).optional(), userId: userId.optional() }),
  output: z.array(ListedMail),
  failures: ['MAIL_LIST_FORBIDDEN'],
  isHeavy: true,
})

/** Tries a mail now that was given up or waits for a later attempt. One that is being sent is left alone. */
export const resendMail = call({
  ...post,
  path: '/admin/resend-mail',
  summary: 'Try a mail of the outbox again now',
  input: z.object({ mailId }),
  output: ListedMail,
  failures: ['MAIL_RESEND_FORBIDDEN', 'MAIL_NOT_FOUND', 'MAIL_HELD'],
  repeats: { mailId: 'id' },
})

/** For a copy of a database that replaces the original, as after a restore. */
export const releaseMails = call({
  ...post,
  path: '/admin/release-mails',
  summary: 'Send the mails that are held because this database is a copy',
  input: z.object({}),
  output: z.object({ released: z.number() }),
  failures: ['MAIL_RELEASE_FORBIDDEN'],
})

/** For somebody who asks for a copy of their data in another way. `/admin/list-audit-events` has the events. */
export const exportUser = call({
  ...post,
  path: '/admin/export-user',
  summary: 'All that is kept of a user, except events',
  input: z.object({ userId }),
  output: PersonData,
  failures: ['USER_EXPORT_FORBIDDEN', 'NO_SUCH_USER'],
  isHeavy: true,
  repeats: { userId: 'user.id' },
})
