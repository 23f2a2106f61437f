import { mailStates } from '../../../shared/mail-states.ts'
import type { ListedMail } from '../../../shared/support.ts'
import { relativeTime } from '../../output/time.ts'
import { countText } from '../../output/words.ts'
import { findUser } from '../admin/users.ts'
import { isId, type Naming, pickOne } from '../candidates.ts'
import type { ValuesOf } from '../field.ts'
import { type Flow, type NoFields, noSubject, type Subject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, ListPart } from '../listing.ts'
import { allPagesField, limitField, offsetField } from '../page-fields.ts'
import { type Paged, pageSize } from '../paged.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

export const mailFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  kind: { title: 'Kind', type: 'text' },
  to: { title: 'To', type: 'text?', readFirst: true, inDetail: ({ to }) => to ?? 'no configured secret decrypts it' },
  userId: { title: 'User', type: 'text?' },
  state: { title: 'State', type: 'text', tone: ({ state }) => (state === 'waiting' ? 'plain' : 'warning') },
  attempts: { title: 'Attempts', type: 'number' },
  lastError: { title: 'Last error', type: 'text?' },
  createdAt: { title: 'Created', type: 'date' },
  nextAttemptAt: { title: 'Next attempt', type: 'date?' },
} as const satisfies FieldsOf<ListedMail, ListedMail>

const fields = {
  state: {
    kind: 'choice',
    label: 'State',
    flag: '--state <state>',
    summary: 'only those in that state',
    values: mailStates,
    isOptional: true,
  },
  user: {
    kind: 'text',
    label: 'User',
    flag: '--user <user>',
    summary: 'only those of that user: id, e-mail address or unique name',
    isOptional: true,
  },
  limit: limitField,
  offset: offsetField,
  allPages: allPagesField,
} as const

type Values = Partial<ValuesOf<typeof fields>>

/** Reads pages of one query. */
async function readerFor(context: Pick<FlowContext, 'signedIn'>, { state, user }: Values) {
  const { api, ...connection } = await context.signedIn()
  const userId = user === undefined ? undefined : (await findUser({ api, ...connection }, user)).id
  return async (offset: number, limit: number): Promise<ListPart<ListedMail>> => {
    const items = await api.support.listMails({
      limit: String(limit),
      offset: String(offset),
      ...(state !== undefined && { state: state as ListedMail['state'] }),
      ...(userId !== undefined && { userId }),
    })
    const end = String(offset + items.length)
    return { items, total: null, next: items.length < limit ? null : { value: end, flags: ['--offset', end] } }
  }
}

type Read = Awaited<ReturnType<typeof readerFor>>

/** The part, and all mails after it. */
async function withRest(read: Read, { items, next }: ListPart<ListedMail>): Promise<ListPart<ListedMail>> {
  const all = [...items]
  for (let from = next; from; ) {
    const more = await read(Number(from.value), pageSize)
    all.push(...more.items)
    from = more.next
  }
  return { items: all, total: null, next: null }
}

export const mailList: Listing<ListedMail, typeof fields> = {
  command: 'admin mail list',
  summary: 'The mails that are not sent yet, or were given up; needs a platform role',
  fields,
  call: '/admin/list-mails',
  answer: mailFields,
  columns: columnsOf<ListedMail>(mailFields, ['to', 'kind', 'state', 'attempts', 'createdAt', 'lastError', 'id']),
  empty: ({ state, user }) => (state || user ? 'No such mails' : 'No mails wait'),
  examples: ['', '--state parked', '--user ann@example.com --json=kind,state,lastError'],
  list: async (context, values) => {
    const read = await readerFor(context, values)
    const first = await read(Number(values.offset ?? 0), Number(values.limit ?? pageSize))
    return values.allPages ? withRest(read, first) : first
  },
}

/** The mails for screens, narrowed by state and user. */
export const pagedMails: Paged<ListedMail> = {
  listing: mailList,
  terms: ['state', 'user'],
  ask: async (context, values) => {
    const read = await readerFor(context, values as Values)
    return ({ offset }) => read(offset, pageSize)
  },
}

/** A mail as an act names it. */
type NamedMail = Pick<ListedMail, 'id'> & Partial<Pick<ListedMail, 'to'>>

const naming: Naming<ListedMail> = {
  kind: 'mail',
  ids: ({ id }) => [id],
  ways: [],
  describe: ({ id, to, kind }) => `${id}  ${kind}  ${to ?? ''}`,
  list: 'See them: postern admin mail list',
}

const mailSubjects: Subject<NamedMail> = {
  argument: '<mail...>',
  summary: 'id, as shown by admin mail list',
  key: 'mailId',
  finder: async (context, _, words) => {
    const read = words.every(isId) ? undefined : await readerFor(context, {})
    const known = read ? (await withRest(read, await read(0, pageSize))).items : []
    return (word = '') => (isId(word) ? { id: word } : pickOne(known, word, naming))
  },
  words: ({ id }) => ({ word: id }),
  name: ({ to }) => to ?? undefined,
}

export const resendMail: Flow<NamedMail, NoFields, unknown, ListedMail> = {
  command: 'admin mail resend',
  summary: 'Try mails again now that were given up or wait for a later attempt',
  title: 'Try again now',
  subject: mailSubjects,
  fields: {},
  bulk: 'subject',
  answersOne: true,
  call: '/admin/resend-mail',
  answer: mailFields,
  examples: [
    '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
    'postern admin mail list --state parked --quiet | postern admin mail resend -',
  ],
  run: async (context, { id: mailId }) => {
    const { api } = await context.signedIn()
    const resource = await api.support.resendMail({ mailId })
    const { to, attempts, nextAttemptAt } = resource
    const mail = `The mail to ${to ?? 'an unreadable address'}`
    // One that was made due has no attempts.
    if (attempts === 0 || !nextAttemptAt) return { sentence: `${mail} is tried again now`, status: 'updated', resource }
    // It is due until a process takes it, or takes it over from one that died.
    const now = context.now()
    const soon = relativeTime(new Date(Math.max(nextAttemptAt.getTime(), now)), now)
    return { sentence: `${mail} is being sent, or is tried again ${soon}`, status: 'unchanged', resource }
  },
  doneWith: ({ length }) =>
    `${countText(length)} mails are tried again now, or soon if they may be on their way already`,
}

export const releaseMails: Flow<undefined, NoFields, unknown, { released: number }> = {
  command: 'admin mail release',
  summary: 'Send the mails that are held because the database is a copy; for a copy that replaces the original',
  title: 'Release held mails',
  subject: noSubject,
  fields: {},
  call: '/admin/release-mails',
  answer: { released: 'number' },
  examples: ['--yes'],
  consent: { question: () => 'Send the held mails? If the original database is still in use, people get them twice.' },
  run: async (context) => {
    const { api } = await context.signedIn()
    const resource = await api.support.releaseMails({})
    const { released } = resource
    return released === 0
      ? { sentence: 'No mail is held', status: 'unchanged', resource }
      : { sentence: `Released ${released === 1 ? '1 mail' : `${released} mails`}`, status: 'updated', resource }
  },
}
