import type { FullUser, Session } from '../../../shared/entities.ts'
import { absoluteTime } from '../../output/time.ts'
import { type Naming, pickOne, withoutMark } from '../candidates.ts'
import { commandWith } from '../command-line.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import type { Listing, Sheet } from '../listing.ts'
import { columnsOf, type FieldsOf, jsonFieldNames } from '../resource-fields.ts'

/** A session without its token, because anybody with the token can use the session. */
export type ListedSession = Omit<Session, 'token'> & { readonly current: boolean }

/** Sessions and their user, if known. */
export interface SessionsView {
  readonly sessions: readonly ListedSession[]
  readonly user: FullUser | undefined
}

export const sessionsView = (sessions: SessionsView['sessions'], user: SessionsView['user']): SessionsView => ({
  sessions,
  user,
})

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
  activeTeamId: { title: 'Team', type: 'text?' },
  impersonatedBy: {
    title: 'Impersonated by',
    type: 'text?',
    inDetail: ({ impersonatedBy }) => impersonatedBy ?? undefined,
    tone: () => 'danger',
  },
  addressProven: { title: 'Address proven', type: 'flag?' },
  // Lists have no room for separate label and client columns.
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

/** The label that the machine gave itself, or else the client that opened the session. */
export const deviceOf = (session: Pick<Session, 'label' | 'userAgent'> | undefined): string =>
  session?.label || session?.userAgent || 'an unknown device'

function markedDevice(session: ListedSession): string {
  const marks = [session.current ? 'this one: ' : '', session.impersonatedBy === null ? '' : 'IMPERSONATED: ']
  return marks.join('') + deviceOf(session)
}

export const sessionLine = (session: ListedSession): string =>
  `${markedDevice(session)}  ${session.ipAddress ?? ''}`.trim()

export type SessionLabel = Pick<Session, 'id' | 'label' | 'userAgent' | 'createdAt'>

const naming: Omit<Naming<SessionLabel>, 'list' | 'ways'> = {
  kind: 'session',
  ids: ({ id }) => [id],
  describe: ({ id, label, userAgent, createdAt }) =>
    [id, `since ${createdAt.toISOString()}`, label, userAgent].filter(Boolean).join('  '),
}

/** Devices are often alike, and the time tells them apart. */
export const sessionName = (session: SessionLabel): string =>
  `${deviceOf(session)}, since ${absoluteTime(session.createdAt)}`

/**
 * Finds a session by its id or unique label. `list`: the command that shows them. Machines choose their labels, so a
 * label never stands for the id, or the id ending, of another session.
 */
export function pickSession<S extends SessionLabel>(sessions: readonly S[], word: string, list: string): S {
  const isOfAnId = sessions.some(({ id }) => id.endsWith(withoutMark(word)))
  return pickOne(sessions, word, { ...naming, ways: isOfAnId ? [] : [({ label }) => label === word], list })
}

export function withoutToken(session: Session, current: boolean): ListedSession {
  const { token: _, ...listed } = session
  return { ...listed, current }
}

/** The service shows the raw token only for the caller's own session, and ids for the others. */
export const isCurrent = ({ id, token }: Pick<Session, 'id' | 'token'>): boolean => token !== id

export const ownSessions = async ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly ListedSession[]> =>
  (await api.session.listSessions()).map((session) => withoutToken(session, isCurrent(session)))

const sessionsOf = async (context: FlowContext): Promise<readonly ListedSession[]> =>
  ownSessions(await context.signedIn())

/** Completion words: ids and unique labels, except labels that begin like a flag. */
export async function sessionWords(context: FlowContext): Promise<readonly string[]> {
  const sessions = await sessionsOf(context)
  const labels = sessions.map(({ label }) => label ?? '')
  const plain = labels.filter((label) => /^\w/.test(label) && labels.indexOf(label) === labels.lastIndexOf(label))
  return [...sessions.map(({ id }) => id), ...plain]
}

/** What all lists of sessions share. */
export const sessionListBase = { answer: sessionFields, columns, empty: 'No sessions' } as const

export const sessionList: Listing<ListedSession> = {
  ...sessionListBase,
  command: 'session list',
  summary: 'The sessions of the signed-in user',
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
    summary: 'its id or unique label, as shown by session list',
    complete: sessionWords,
  },
} as const

export const sessionView: Sheet<ListedSession, typeof fields> = {
  command: 'session view',
  summary: 'One session of the signed-in user',
  fields,
  call: '/list-sessions',
  answer: sessionFields,
  columns: columnsOf<ListedSession>(sessionFields, jsonFieldNames(sessionFields)),
  examples: ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'],
  view: async (context, { id }) => pickSession(await sessionsOf(context), id, commandWith(sessionList)),
}
