import type { Session } from '../../../shared/entities.ts'
import { countText } from '../../output/words.ts'
import { type CurrentUser, optionalUser } from '../account/me.ts'
import { commandWith } from '../command-line.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { isCurrent, pickSession, type SessionLabel, sessionList, sessionName, sessionWords } from './sessions.ts'

/** Which sessions were ended: `others` or `all`. */
export interface RevocationScope {
  readonly sessions: string
}
export const revokedFields = { sessions: 'text' } as const

/** A screen and a command about several know which session is their own. */
interface RevokedSession extends SessionLabel {
  readonly isOwn?: boolean
}

/** Under the terms of 1.7 the service answers success for a session that is not there, so the list has to know it. */
export const revokeSession: Flow<RevokedSession, NoFields, unknown, Pick<Session, 'id'>> = {
  command: 'session revoke',
  summary: 'End sessions of the signed-in user',
  title: 'Revoke',
  subject: {
    argument: '[id...]',
    summary: 'their ids or unique labels, as shown by session list',
    finder: async (context) => {
      const sessions = await (await context.signedIn()).api.session.listSessions()
      const own = sessions.find(isCurrent)
      return (word = '') => {
        const session = pickSession(sessions, word, commandWith(sessionList))
        return { ...session, isOwn: session.id === own?.id }
      }
    },
    words: ({ id }) => ({ word: id }),
    name: sessionName,
    complete: sessionWords,
  },
  fields: {},
  bulk: 'subject',
  // The others could not be ended without it.
  comesLast: ({ isOwn = false }) => isOwn,
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
      const what = sessions.length === 1 ? 'this session' : `these ${countText(sessions.length)} sessions`
      return `Revoke ${what}${sessions.some(({ isOwn }) => isOwn) ? ' and sign out here' : ''}?`
    },
    forKeysOnly: true,
  },
  run: async (context, { id, isOwn }) => {
    const { api } = await context.signedIn()
    await api.session.revokeSession({ token: id })
    if (isOwn) await forgetOwn(context)
    return { sentence: 'Revoked the session', status: 'deleted', resource: { id } }
  },
  doneWith: ({ length }) => `Revoked ${countText(length)} sessions`,
}

async function forgetOwn({ current, accounts }: FlowContext): Promise<void> {
  const account = await current()
  if (account) await accounts.forget(account)
}

export const revokeOthers: Flow<CurrentUser | undefined, NoFields, unknown, RevocationScope> = {
  command: 'session revoke --others',
  summary: 'End every other session of the signed-in user, and their own keys',
  title: 'Revoke all others',
  subject: optionalUser,
  fields: {},
  call: '/revoke-other-sessions',
  answer: revokedFields,
  examples: ['--others'],
  consent: { question: () => 'Revoke every session but this one? Your own keys end too.', forKeysOnly: true },
  run: async (context) => {
    const { api } = await context.signedIn()
    await api.session.revokeOtherSessions({})
    return { sentence: 'Revoked every other session', status: 'deleted', resource: { sessions: 'others' } }
  },
}

export const revokeAll: Flow<CurrentUser | undefined, NoFields, unknown, RevocationScope> = {
  command: 'session revoke --all',
  summary: 'End every session of the signed-in user, including the current one, and their own keys',
  title: 'Revoke all, including this one',
  subject: optionalUser,
  fields: {},
  call: '/revoke-sessions',
  answer: revokedFields,
  examples: ['--all --yes'],
  consent: {
    question: () => 'Revoke every session, including this one? Your own keys end too.',
    typed: { what: 'address', word: ([me]) => me?.user.email ?? 'all' },
  },
  run: async (context) => {
    const { api } = await context.signedIn()
    await api.session.revokeSessions({})
    await forgetOwn(context)
    return { sentence: 'Revoked every session, including this one', status: 'deleted', resource: { sessions: 'all' } }
  },
}
