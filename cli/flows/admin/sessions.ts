import type { FullUser, Session } from '../../../shared/entities.ts'
import { commandWith } from '../command-line.ts'
import type { Listing } from '../listing.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import { type ListedSession, pickSession, sessionColumns, sessionFields } from '../session/sessions.ts'
import { findUser, userArgument } from './users.ts'

const fields = { user: { kind: 'text', label: 'User', argument: '<user>', summary: userArgument } } as const

export const userSessionList: Listing<ListedSession, typeof fields> = {
  command: 'admin session list',
  summary: 'Where a user is signed in',
  fields,
  call: '/admin/list-user-sessions',
  answer: sessionFields,
  columns: sessionColumns,
  empty: 'No sessions',
  examples: ['ann@example.com', 'ann@example.com --json=id,userAgent'],
  list: async (ports, { user: word }) => {
    const connection = await ports.signedIn()
    const [user, own] = await Promise.all([findUser(connection, word, 'session:list'), ports.session()])
    return (await sessionsOfUser(connection, user)).map((session) => listed(session, own.session.id))
  },
}

function listed(session: Session, currentId: string): ListedSession {
  const { token: _, ...shown } = session
  return { ...shown, current: session.id === currentId }
}

export const sessionsOfUser = async (
  { api }: Pick<FlowConnection, 'api'>,
  { id }: Pick<FullUser, 'id'>,
): Promise<readonly Session[]> => (await api.admin.listUserSessions({ userId: id })).sessions

/** Of the user whom the word before names. */
export async function userSessionIds(ports: Ports, [word = '']: readonly string[]): Promise<readonly string[]> {
  const connection = await ports.signedIn()
  return (await sessionsOfUser(connection, await findUser(connection, word))).map(({ id }) => id)
}

/** An id alone would end a session of anybody: it has to be one of theirs. */
export const pickUserSession = (sessions: readonly Session[], word: string, { email }: FullUser): Session =>
  pickSession(sessions, word, `See theirs: ${commandWith(userSessionList, [], { given: { user: email } })}`)
