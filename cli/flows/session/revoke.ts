import type { Session } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { isId } from '../org/organizations.ts'
import type { Ports } from '../ports.ts'
import { sessionList } from './list.ts'
import { pickSession, sessionsOf, sessionWords } from './sessions.ts'

type Id = Pick<Session, 'id'>

/** Which sessions ended: `others` or `all`. */
export interface Revoked {
  readonly sessions: string
}
export const revokedFields = { sessions: 'text' } as const

/** A screen knows which one it acts by. */
export interface RevokedSession extends Pick<Session, 'id'> {
  readonly isOwn?: boolean
}

/** A whole id is enough: the service looks it up, and tells who asks for one that is not theirs. */
export const revokeSession: Flow<RevokedSession, Readonly<Record<never, never>>, unknown, Id> = {
  command: 'session revoke',
  summary: 'End sessions of the signed-in user',
  title: 'Revoke',
  writes: true,
  needsSession: true,
  subject: {
    argument: '[id...]',
    summary: 'their ids, or labels that one alone has, as session list shows them; - reads them from stdin, one a line',
    finder: async (ports, _, words) => {
      const sessions = words.every(isWhole) ? [] : await sessionsOf(ports)
      return (word = '') => (isWhole(word) ? { id: word } : pickSession(sessions, word, commandWith(sessionList)))
    },
    words: ({ id }) => ({ word: id }),
    complete: sessionWords,
  },
  fields: {},
  call: '/revoke-session',
  answer: { id: 'text' },
  examples: [
    '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
    'lost-laptop',
    '--others',
    'postern session list --quiet | postern session revoke - --json',
  ],
  consent: {
    question: (sessions) => {
      const what = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`
      return `Revoke ${what}${sessions.some(({ isOwn }) => isOwn) ? ' and sign out here' : ''}?`
    },
    forKeysOnly: true,
  },
  run: async (ports, { id }) => {
    const { api } = await ports.signedIn()
    await api.session.revokeSession({ token: id }).catch((error: unknown) => explained(ports, error))
    return { sentence: 'Revoked the session', status: 'deleted', resource: { id } }
  },
  doneWith: ({ length }) => `Revoked ${length} sessions`,
}

/** An id, or the session's own token. */
const isWhole = (word: string): boolean => isId(word) || /^\w{43}$/.test(word)

/** That one is somebody else's the service says in the words for who is not signed in: whoever is learns no more than of an unknown one. */
async function explained(ports: Ports, error: unknown): Promise<never> {
  const { exitCode, status } = toCliError(error)
  if (exitCode !== exitCodes.signedOut) throw error
  await ports.session({ disableCookieCache: 'true' })
  const code = 'SESSION_NOT_FOUND'
  throw new CliError(exitCodes.notFound, 'Session not found', {
    code,
    status,
    hint: commandWith(sessionList),
    cause: error,
  })
}
