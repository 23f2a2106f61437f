import type { User } from '../../../shared/entities.ts'
import { isLikeMachineKey } from '../../../shared/key-text.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { type Flow, noSubject } from '../flow.ts'
import { adoptSession } from './adopt-session.ts'

const fields = {
  token: {
    kind: 'secret',
    label: 'Token',
    flag: '--token-file <file>',
    summary: 'file that holds a session token to adopt, - for stdin',
    check: (text: string) =>
      isLikeMachineKey(text.trim())
        ? 'That is a machine key, which is sent and never kept: POSTERN_TOKEN_FILE=FILE postern whoami'
        : undefined,
  },
  server: serverField,
} as const

/** Keeps a session that was opened elsewhere. */
export const signInWithToken: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in --token-file FILE',
  summary: 'Adopt a session token and keep it on this machine',
  title: 'Sign in with a token',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
  call: '/get-session',
  answer: userFields,
  examples: ['--token-file token.txt'],
  run: (ports, _, { server, token }) => adoptSession(ports, { server, token: token.trim() }),
}
