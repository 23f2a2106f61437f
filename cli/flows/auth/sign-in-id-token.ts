import type { User } from '../../../shared/entities.ts'
import { serverError } from '../../output/cli-error.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { providerField } from '../device/fields.ts'
import { type Flow, noSubject } from '../flow.ts'
import { adoptSession } from './adopt-session.ts'

const fields = {
  provider: { ...providerField, label: 'Provider', isOptional: false },
  idToken: {
    kind: 'secret',
    label: 'Id token',
    flag: '--id-token-file <file>',
    summary:
      'file that holds an id token of --provider, which its own software gave you, or one for --oidc, - for stdin',
  },
  nonce: {
    kind: 'text',
    label: 'Nonce',
    flag: '--nonce <nonce>',
    summary: 'what the id token was asked for with',
    isOptional: true,
  },
  server: serverField,
} as const

export const signInWithIdToken: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in',
  summary: "Sign in with a provider's id token and keep the session on this machine",
  title: 'Sign in with an id token',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
  call: '/sign-in/social',
  answer: userFields,
  examples: ['--provider google --id-token-file - < token.txt'],
  run: async (ports, _, { provider, idToken, nonce, server }) => {
    // Whose it is the service says: there is no jar yet that a cookie could go to.
    const { api } = await ports.asNobody(server)
    const proof = { token: idToken.trim(), ...(nonce ? { nonce } : {}) }
    const { token } = await api.social.signInSocial({ provider, idToken: proof })
    if (token === undefined) throw serverError(`${server} took the id token and opened no session`)
    return adoptSession(ports, { server, token, isNew: true })
  },
}
