import { canonicalEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { signedOutError } from '../../output/cli-error.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { type Flow, noSubject } from '../flow.ts'

const fields = {
  token: {
    kind: 'secret',
    label: 'Token',
    flag: '--token-file <file>',
    summary: 'file that holds a session token to adopt, - for stdin',
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
  examples: ['postern sign-in --token-file token.txt'],
  run: async (ports, _, values) => {
    const token = values.token.trim()
    const { api, server } = await ports.withToken(values.server, token)
    const view = await api.session.getSession()
    if (!view) throw signedOutError(`The token is no session of ${server}`, 'Is it expired, or of another service?')
    const account = { server, email: canonicalEmail(view.user.email) }
    await ports.kept.adopt(account, token)
    await ports.kept.use(account)
    return { sentence: `Signed in as ${view.user.email}`, status: 'created', resource: view.user, leadsHome: true }
  },
}
