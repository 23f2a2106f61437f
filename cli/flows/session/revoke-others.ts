import { type Me, optionalUser } from '../account/me.ts'
import type { Flow } from '../flow.ts'
import { type Revoked, revokedFields } from './revoke.ts'

export const revokeOthers: Flow<Me | undefined, Readonly<Record<never, never>>, unknown, Revoked> = {
  command: 'session revoke --others',
  summary: 'End every session of the signed-in user but the current one, and the keys of their own',
  title: 'Revoke all others',
  writes: true,
  needsSession: true,
  subject: optionalUser,
  fields: {},
  call: '/revoke-other-sessions',
  answer: revokedFields,
  examples: ['--others'],
  consent: { question: () => 'Revoke every session but this one? Your own keys end too.', forKeysOnly: true },
  run: async (ports) => {
    const { api } = await ports.signedIn()
    await api.session.revokeOtherSessions({})
    return { sentence: 'Revoked every other session', status: 'deleted', resource: { sessions: 'others' } }
  },
}
