import { revokeUserSession, revokeUserSessions, sessionsOfUser, userSessionList } from '../admin/sessions.ts'
import { findUser } from '../admin/users.ts'
import { commandWith } from '../command-line.ts'
import type { FlowConnection } from '../flow-context.ts'
import { act, type Resource } from '../resource.ts'
import { revokeAll, revokeOthers, revokeSession } from './revoke.ts'
import { deviceOf, type ListedSession, type SessionsView, sessionFields, sessionLine, sessionView } from './sessions.ts'

const revokeKey = ['D', 'remove', 'revoke'] as const
const lines = (sessions: readonly ListedSession[]) => sessions.map(sessionLine)

/** The sessions of the signed-in user. */
export const sessions: Resource<ListedSession, SessionsView> = {
  noun: 'session',
  fields: sessionFields,
  list: ['device', 'ipAddress', 'updatedAt', 'expiresAt'],
  detail: ['label', 'userAgent', 'ipAddress', 'current', 'createdAt', 'updatedAt', 'expiresAt', 'impersonatedBy', 'id'],
  id: ({ id }) => id,
  label: deviceOf,
  line: sessionLine,
  searched: (one) => [one.id, one.userAgent, sessionLine(one)].join(' '),
  tone: ({ current }) => (current ? 'good' : 'plain'),
  of: ({ sessions: all }) => all,
  empty: 'No sessions',
  acts: [
    act(revokeSession, {
      key: revokeKey,
      about: 'several',
      removes: true,
      subjects: (chosen) => chosen.map((session) => ({ ...session, isOwn: session.current })),
    }),
    act(revokeOthers, {
      about: 'place',
      subjects: (_, { user }) => (user ? [{ user }] : []),
      details: (_, { sessions: all }) => lines(all.filter(({ current }) => !current)),
    }),
    act(revokeAll, {
      about: 'place',
      subjects: (_, { user }) => (user ? [{ user }] : []),
      details: (_, { sessions: all }) => lines(all),
    }),
  ],
  command: (one) => commandWith(sessionView, [], { given: { id: one?.id } }),
  own: ({ id }) => ({ screen: 'session', subject: id, title: 'Session' }),
}

export async function readUserSessions(connection: Pick<FlowConnection, 'api'>, userId: string): Promise<SessionsView> {
  const [user, all] = await Promise.all([findUser(connection, userId), sessionsOfUser(connection, { id: userId })])
  return { sessions: all, user }
}

/** The sessions of a user, for an administrator. */
export const userSessions: Resource<ListedSession, SessionsView> = {
  ...sessions,
  acts: [
    act(revokeUserSession, {
      key: revokeKey,
      about: 'several',
      removes: true,
      subjects: (chosen, { user }) => (user ? chosen.map((session) => ({ user, session })) : []),
    }),
    act(revokeUserSessions, {
      about: 'place',
      subjects: (_, { user }) => (user ? [user] : []),
      details: (_, { sessions: all }) => lines(all),
    }),
  ],
  command: (_, { user }) => commandWith(userSessionList, [], { given: { user: user?.email } }),
  own: undefined,
}
