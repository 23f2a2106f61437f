import type { FullUser } from '../../../shared/entities.ts'
import { commandWith } from '../command-line.ts'
import type { Listing } from '../listing.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import { type ListedSession, pickSession, sessionListing, withoutToken } from '../session/sessions.ts'
import { findUser, userArgument } from './users.ts'

const fields = { user: { kind: 'text', label: 'User', argument: '<user>', summary: userArgument } } as const

export const userSessionList: Listing<ListedSession, typeof fields> = {
  ...sessionListing,
  command: 'admin session list',
  summary: 'Where a user is signed in',
  fields,
  call: '/admin/list-user-sessions',
  examples: ['ann@example.com', 'ann@example.com --json=id,userAgent'],
  list: async (ports, { user: word }) => {
    const connection = await ports.signedIn()
    const [user, own] = await Promise.all([findUser(connection, word, 'session:list'), ports.session()])
    return sessionsOfUser(connection, user, own.session.id)
  },
}

/** `currentId`: the session of who looks. */
export async function sessionsOfUser(
  { api }: Pick<FlowConnection, 'api'>,
  { id }: Pick<FullUser, 'id'>,
  currentId?: string,
): Promise<readonly ListedSession[]> {
  const { sessions } = await api.admin.listUserSessions({ userId: id })
  return sessions.map((session) => withoutToken(session, session.id === currentId))
}

/** Of the user whom the word before names. */
export async function userSessionIds(ports: Ports, [word = '']: readonly string[]): Promise<readonly string[]> {
  const connection = await ports.signedIn()
  return (await sessionsOfUser(connection, await findUser(connection, word))).map(({ id }) => id)
}

/** An id alone would end a session of anybody: it has to be one of theirs. */
export const pickUserSession = (sessions: readonly ListedSession[], word: string, { email }: FullUser): ListedSession =>
  pickSession(sessions, word, `See theirs: ${commandWith(userSessionList, [], { given: { user: email } })}`)
