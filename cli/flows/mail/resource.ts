import type { ListedMail } from '../../../shared/support.ts'
import { commandWith } from '../command-line.ts'
import { act, type Resource } from '../resource.ts'
import { mailFields, mailList, pagedMails, releaseMails, resendMail } from './mails.ts'

/** The mails that were read so far. */
interface MailsView {
  readonly mails: readonly ListedMail[]
}

export const mailsView = ({ items }: { readonly items: readonly ListedMail[] }): MailsView => ({ mails: items })

/** The outbox of the service, for an administrator. */
export const mails: Resource<ListedMail, MailsView> = {
  noun: 'mail',
  fields: mailFields,
  list: ['to', 'kind', 'state', 'createdAt', 'lastError'],
  detail: ['to', 'kind', 'state', 'attempts', 'lastError', 'nextAttemptAt', 'createdAt', 'userId', 'id'],
  id: ({ id }) => id,
  label: ({ to, kind }) => to ?? kind,
  line: ({ to, kind, state }) => `${to ?? 'unreadable'} ${kind} ${state}`,
  tone: ({ state }) => (state === 'parked' || state === 'failing' ? 'warning' : 'plain'),
  of: ({ mails: all }) => all,
  paged: pagedMails,
  empty: 'No mails wait',
  acts: [
    act(resendMail, { about: 'several', subjects: (chosen) => chosen }),
    act(releaseMails, { about: 'place', subjects: () => [undefined] }),
  ],
  command: () => commandWith(mailList),
}
