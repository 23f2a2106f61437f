import type { Session } from '../../../shared/entities.ts'
import type { Flow } from '../flow.ts'

/** Which sessions ended: an id, `others` or `all`. */
export interface Revoked {
  readonly sessions: string
}
export const revokedFields = { sessions: 'text' } as const

/** Its id is enough: the service looks it up, and tells who asks for one that is not theirs. */
export const revokeSession: Flow<Pick<Session, 'id'>, Readonly<Record<never, never>>, unknown, Revoked> = {
  command: 'session revoke',
  summary: 'End sessions of the signed-in user',
  title: 'Revoke',
  writes: true,
  needsSession: true,
  subject: {
    argument: '[id...]',
    summary: 'their ids, as session list shows them; - reads ids from stdin, one a line',
    finder:
      async () =>
      (id = '') => ({ id }),
    words: ({ id }) => ({ word: id }),
  },
  fields: {},
  call: '/revoke-session',
  answer: revokedFields,
  examples: [
    'postern session revoke 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
    'postern session revoke --others',
    'postern session list --quiet | postern session revoke - --json',
  ],
  consent: {
    question: ({ length }) => `Revoke ${length === 1 ? 'this session' : `these ${length} sessions`}?`,
    forKeysOnly: true,
  },
  run: async (ports, { id }) => {
    const { api } = await ports.signedIn()
    await api.session.revokeSession({ token: id })
    return { sentence: 'Revoked the session', status: 'deleted', resource: { sessions: id } }
  },
  doneWith: ({ length }) => `Revoked ${length} sessions`,
}
