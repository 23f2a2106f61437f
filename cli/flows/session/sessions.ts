import type { FullUser, Session } from '../../../shared/entities.ts'
import { endingOf, type Naming, pickOne } from '../candidates.ts'
import { commandWith } from '../command-line.ts'
import type { Listing, Sheet } from '../listing.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import { columnsOf, type FieldsOf, namesOf } from '../resource-fields.ts'

/** A session without its token, which opens the account to whoever reads it. */
export type ListedSession = Omit<Session, 'token'> & { readonly current: boolean }

/** Sessions, and whose they are, as far as that is known. */
export interface SessionsView {
  readonly sessions: readonly ListedSession[]
  readonly user: FullUser | undefined
}

export const sessionFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  current: {
    title: 'Current',
    type: 'flag',
    inDetail: ({ current }) => (current ? 'yes: revoking it signs you out' : 'no'),
  },
  userId: { title: 'User', type: 'text' },
  ipAddress: { title: 'Address', type: 'text?', inDetail: ({ ipAddress }) => ipAddress ?? 'unknown' },
  userAgent: { title: 'Client', type: 'text?', inDetail: ({ userAgent }) => userAgent || 'unknown' },
  label: { title: 'Label', type: 'text?', inDetail: ({ label }) => label ?? undefined },
  createdAt: { title: 'Since', type: 'date' },
  updatedAt: { title: 'Updated', type: 'date' },
  expiresAt: { title: 'Expires', type: 'date' },
  activeOrganizationId: { title: 'Organization', type: 'text?' },
  impersonatedBy: {
    title: 'Impersonated by',
    type: 'text?',
    inDetail: ({ impersonatedBy }) => impersonatedBy ?? undefined,
    tone: () => 'danger',
  },
  addressProven: { title: 'Address proven', type: 'flag?' },
  // A list has no room for label and client apart; narrow terminals cut what follows.
  device: { title: 'Device', inList: (session) => markedDevice(session) },
} as const satisfies FieldsOf<ListedSession, ListedSession, SessionsView>

const columns = columnsOf<ListedSession>(sessionFields, [
  'label',
  'userAgent',
  'current',
  'createdAt',
  'expiresAt',
  'ipAddress',
  'id',
])

/** The machine of a session, as it calls itself, or else what the session was opened with. */
export const deviceOf = (session: Pick<Session, 'label' | 'userAgent'> | undefined): string =>
  session?.label || session?.userAgent || 'an unknown device'

function markedDevice(session: ListedSession): string {
  const marks = [session.current ? 'this one: ' : '', session.impersonatedBy === null ? '' : 'IMPERSONATED: ']
  return marks.join('') + deviceOf(session)
}

export const sessionLine = (session: ListedSession): string =>
  `${markedDevice(session)}  ${session.ipAddress ?? ''}`.trim()

type Named = Pick<Session, 'id' | 'label' | 'userAgent' | 'createdAt'>

const naming: Omit<Naming<Named>, 'list' | 'ways'> = {
  kind: 'session',
  ids: ({ id }) => [id],
  describe: ({ id, label, userAgent, createdAt }) =>
    [id, `since ${createdAt.toISOString()}`, label, userAgent].filter(Boolean).join('  '),
}

/**
 * By its id, or by the label that one alone has; `list`: the command that shows them. A label is what a machine says of
 * itself, so none may take the place of another session's id, nor of the ending that a table shows of it.
 */
export function pickSession<S extends Named>(sessions: readonly S[], word: string, list: string): S {
  const isOfAnId = sessions.some(({ id }) => id.endsWith(endingOf(word)))
  return pickOne(sessions, word, { ...naming, ways: isOfAnId ? [] : [({ label }) => label === word], list })
}

export function withoutToken(session: Session, current: boolean): ListedSession {
  const { token: _, ...listed } = session
  return { ...listed, current }
}

/** The service shows the raw token of the caller's own session only; of the others it shows their id. */
export const ownSessions = async ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly ListedSession[]> =>
  (await api.session.listSessions()).map((session) => withoutToken(session, session.token !== session.id))

export const sessionsOf = async (ports: Ports): Promise<readonly ListedSession[]> => ownSessions(await ports.signedIn())

/** Their ids, and the labels that one alone has; one that begins like a flag would be taken for one. */
export async function sessionWords(ports: Ports): Promise<readonly string[]> {
  const sessions = await sessionsOf(ports)
  const labels = sessions.map(({ label }) => label ?? '')
  const plain = labels.filter((label) => /^\w/.test(label) && labels.indexOf(label) === labels.lastIndexOf(label))
  return [...sessions.map(({ id }) => id), ...plain]
}

/** What lists of sessions have in common, whoever looks. */
export const sessionListing = { answer: sessionFields, columns, empty: 'No sessions' } as const

export const sessionList: Listing<ListedSession> = {
  ...sessionListing,
  command: 'session list',
  summary: 'Where the signed-in user is signed in',
  fields: {},
  call: '/list-sessions',
  examples: ['', '--json=id,userAgent'],
  list: sessionsOf,
}

const fields = {
  id: {
    kind: 'text',
    label: 'Session',
    argument: '<id>',
    summary: 'its id, or a label that it alone has, as session list shows them',
    complete: sessionWords,
  },
} as const

export const sessionView: Sheet<ListedSession, typeof fields> = {
  command: 'session view',
  summary: 'One session of the signed-in user',
  fields,
  call: '/list-sessions',
  answer: sessionFields,
  columns: columnsOf<ListedSession>(sessionFields, namesOf(sessionFields)),
  examples: ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'],
  view: async (ports, { id }) => pickSession(await sessionsOf(ports), id, commandWith(sessionList)),
}
