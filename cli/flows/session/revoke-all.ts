import { type Me, optionalUser } from '../account/me.ts'
import type { Flow } from '../flow.ts'
import { type Revoked, revokedFields } from './revoke.ts'

export const revokeAll: Flow<Me | undefined, Readonly<Record<never, never>>, unknown, Revoked> = {
  command: 'session revoke --all',
  summary: 'End every session of the signed-in user, the current one too, and the keys of their own',
  title: 'Revoke all, this one too',
  writes: true,
  needsSession: true,
  subject: optionalUser,
  fields: {},
  call: '/revoke-sessions',
  answer: revokedFields,
  examples: ['--all --yes'],
  consent: {
    question: () => 'Revoke every session, this one too? Your own keys end too.',
    typed: { what: 'address', word: ([me]) => me?.user.email ?? 'all' },
  },
  run: async (ports) => {
    const { api } = await ports.signedIn()
    await api.session.revokeSessions({})
    const current = await ports.current()
    if (current) await ports.accounts.forget(current)
    return { sentence: 'Revoked every session, this one too', status: 'deleted', resource: { sessions: 'all' } }
  },
}
