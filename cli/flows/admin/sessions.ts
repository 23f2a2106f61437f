import type { FullUser, Session } from '../../../shared/entities.ts'
import { countText } from '../../output/words.ts'
import { commandWith } from '../command-line.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import type { Listing } from '../listing.ts'
import { type RevocationScope, revokedFields } from '../session/revoke.ts'
import {
  type ListedSession,
  pickSession,
  type SessionLabel,
  sessionListBase,
  sessionName,
  withoutToken,
} from '../session/sessions.ts'
import { findUser, userArgument, userCount, userFor } from './users.ts'

const fields = { user: { kind: 'text', label: 'User', argument: '<user>', summary: userArgument } } as const

export const userSessionList: Listing<ListedSession, typeof fields> = {
  ...sessionListBase,
  command: 'admin session list',
  summary: 'The sessions of a user',
  fields,
  call: '/admin/list-user-sessions',
  examples: ['ann@example.com', 'ann@example.com --json=id,userAgent'],
  list: async (context, { user: word }) => {
    const connection = await context.signedIn()
    const [user, own] = await Promise.all([findUser(connection, word, 'session:list'), context.session()])
    return sessionsOfUser(connection, user, own.session.id)
  },
}

/** `currentId`: the caller's own session. */
export async function sessionsOfUser(
  { api }: Pick<FlowConnection, 'api'>,
  { id }: Pick<FullUser, 'id'>,
  currentId?: string,
): Promise<readonly ListedSession[]> {
  const { sessions } = await api.admin.listUserSessions({ userId: id })
  return sessions.map((session) => withoutToken(session, session.id === currentId))
}

/** Session ids of the user named by the preceding argument. */
async function userSessionIds(context: FlowContext, [word = '']: readonly string[]): Promise<readonly string[]> {
  const connection = await context.signedIn()
  return (await sessionsOfUser(connection, await findUser(connection, word))).map(({ id }) => id)
}

/** The service would end any session by its id, so the session must be one of this user's. */
const pickUserSession = (sessions: readonly ListedSession[], word: string, { email }: FullUser): ListedSession =>
  pickSession(sessions, word, `See theirs: ${commandWith(userSessionList, [], { given: { user: email } })}`)

interface UserSession {
  readonly user: FullUser
  readonly session: SessionLabel
  /** This run acts by it. Only known where several are named. */
  readonly isOwn?: boolean
}

const revokedSessionFields = {
  user: { ...fields.user, isOfSubject: true },
  id: {
    kind: 'text',
    label: 'Session',
    argument: '[id...]',
    summary: 'their ids, as shown by admin session list',
    isOfSubject: true,
    complete: userSessionIds,
  },
} as const

/** Checks that the sessions belong to the user. */
export const revokeUserSession: Flow<UserSession, typeof revokedSessionFields, unknown, Pick<Session, 'id'>> = {
  command: 'admin session revoke',
  summary: 'End sessions of a user: those named, or --all',
  title: 'Revoke',
  subject: {
    finder: async (context, { user: named }, words) => {
      const connection = await context.signedIn()
      const user = await findUser(connection, named, 'session:revoke')
      const [sessions, own] = await Promise.all([
        sessionsOfUser(connection, user),
        words.length > 1 ? connection.api.session.getSession() : null,
      ])
      return (word = '') => {
        const session = pickUserSession(sessions, word, user)
        return { user, session, isOwn: session.id === own?.session.id }
      }
    },
    words: ({ user, session }) => ({ word: user.email, flags: [session.id] }),
    name: ({ session }) => sessionName(session),
  },
  fields: revokedSessionFields,
  bulk: 'id',
  // The others could not be ended without it.
  comesLast: ({ isOwn = false }) => isOwn,
  call: '/admin/revoke-user-session',
  answer: { id: 'text' },
  examples: [
    'ann@example.com 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
    'ann@example.com --all --yes',
    '--csv sessions.csv --json',
  ],
  consent: {
    question: ([one, ...rest]) =>
      `Revoke ${rest.length === 0 ? 'this session' : `these ${countText(rest.length + 1)} sessions`} of ${one?.user.email}?`,
    forKeysOnly: true,
  },
  run: async (context, { session: { id } }) => {
    const { api } = await context.signedIn()
    await api.admin.revokeUserSession({ sessionToken: id })
    return { sentence: 'Revoked the session', status: 'deleted', resource: { id } }
  },
  doneWith: ({ length }) => `Revoked ${countText(length)} sessions`,
}

export const revokeUserSessions: Flow<FullUser, NoFields, unknown, RevocationScope> = {
  command: 'admin session revoke --all',
  summary: 'End every session of a user, and their own keys',
  title: 'Revoke every session',
  subject: userFor('session:revoke'),
  fields: {},
  call: '/admin/revoke-user-sessions',
  answer: revokedFields,
  examples: ['ann@example.com --all --yes'],
  consent: { question: (users) => `Revoke every session of ${userCount(users)}? Their own keys end too.` },
  run: async (context, { id: userId, email }) => {
    const { api } = await context.signedIn()
    await api.admin.revokeUserSessions({ userId })
    return { sentence: `Revoked every session of ${email}`, status: 'deleted', resource: { sessions: 'all' } }
  },
}
