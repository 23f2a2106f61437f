import type { User } from '../../../shared/entities.ts'
import { originOf } from '../../accounts/accounts.ts'
import { parseRecord } from '../../client/json.ts'
import { serverError, usageError } from '../../output/cli-error.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { providerField } from '../device/fields.ts'
import { type Flow, noSubject } from '../flow.ts'
import { adoptSession } from './sign-in-token.ts'

export type Claims = Readonly<Record<string, unknown>>

/** The claims of an id token, unverified: the service verifies them. */
export function claimsOf(token: string): Claims {
  const [header = '', body = '', signature = '', ...more] = token.split('.')
  const claims =
    header && signature && more.length === 0 ? parseRecord(Buffer.from(body, 'base64url').toString('utf8')) : undefined
  if (claims) return claims
  throw usageError('This is not an id token', 'An id token is a JWT: three parts separated by dots', [
    '--id-token-file',
  ])
}

/** CI logs can be public, so claims that identify a person or this token are left out. */
const isLoggable = (name: string): boolean => !/mail|^user_|^(?:jti|nonce|at_hash)$/.test(name)

/** One line per claim that a trust rule can use. */
export const claimLines = (claims: Claims): readonly string[] =>
  Object.entries(claims)
    .filter(([name]) => isLoggable(name))
    .flatMap(([name, value]) => {
      const text = textOf(name, value)
      return text === undefined ? [] : [`${name}: ${text.slice(0, 300)}`]
    })

function textOf(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && /^(?:exp|iat|nbf)$/.test(name)) return timeOf(value)
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.join(', ') : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isFinite(time.getTime()) ? time.toISOString() : String(seconds)
}

const fields = {
  provider: { ...providerField, label: 'Provider', isOptional: false },
  idToken: {
    kind: 'secret',
    label: 'Id token',
    flag: '--id-token-file <file>',
    selectsCommand: true,
    summary: 'file that holds an id token from the software of --provider, or one for --oidc, - for stdin',
  },
  nonce: {
    kind: 'text',
    label: 'Nonce',
    flag: '--nonce <nonce>',
    summary: 'the nonce that the id token was requested with',
    isOptional: true,
  },
  server: serverField,
} as const

export const signInWithIdToken: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in',
  summary: "Sign in with a provider's id token and keep the session on this machine",
  title: 'Sign in with an id token',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/sign-in/social',
  answer: userFields,
  examples: ['--provider google --id-token-file - < token.txt'],
  run: async (context, _, { provider, idToken, nonce, server }) => {
    // The service decides which account this is, so no cookie jar exists yet. The token may work only
    // once, so first check that a session can be stored.
    await context.accounts.checkWritable(originOf(server))
    const { api } = await context.asNobody(server)
    const proof = { token: idToken.trim(), ...(nonce ? { nonce } : {}) }
    const { token } = await api.social.signInSocial({ provider, idToken: proof })
    if (token === undefined) throw serverError(`${server} accepted the id token but opened no session`)
    return adoptSession(context, { server, token, isNew: true })
  },
}
