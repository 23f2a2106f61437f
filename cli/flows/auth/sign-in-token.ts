import { canonicalEmail } from '../../../shared/email.ts'
import type { SessionView, User } from '../../../shared/entities.ts'
import { looksLikeMachineKey } from '../../../shared/key-text.ts'
import { type AccountRef, accountRefOf } from '../../accounts/accounts.ts'
import { isHeaderToken } from '../../accounts/identity.ts'
import { signedOutError } from '../../output/cli-error.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { type Flow, type FlowResult, noSubject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { signedInResult } from './sign-in.ts'
import { endSession } from './sign-out.ts'

const fields = {
  token: {
    kind: 'secret',
    label: 'Token',
    flag: '--token-file <file>',
    selectsCommand: true,
    summary: 'file that holds a session token to adopt, - for stdin',
    check: (text: string) => problemOf(text.trim()),
  },
  server: serverField,
} as const

function problemOf(token: string): string | undefined {
  if (looksLikeMachineKey(token))
    return 'This is a machine key, which is never stored. Use it from its file: POSTERN_TOKEN_FILE=FILE postern whoami'
  return isHeaderToken(token) ? undefined : 'This is not a token: a token is one line without spaces'
}

/** Stores a session that was opened elsewhere. */
export const signInWithToken: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in --token-file FILE',
  summary: 'Adopt a session token and keep it on this machine',
  title: 'Sign in with a token',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/get-session',
  answer: userFields,
  examples: ['--token-file token.txt'],
  run: (context, _, { server, token }) => adoptSession(context, { server, token: token.trim() }),
}

interface SessionToAdopt {
  readonly server: string
  readonly token: string
  /** The session was made for this machine, so the session that it replaces is ended, as in a password sign-in. */
  readonly isNew?: boolean
}

/** Stores a session as its user's jar and makes that account current. */
export async function adoptSession(context: FlowContext, adoptable: SessionToAdopt): Promise<FlowResult<User>> {
  const { token, isNew } = adoptable
  const { api, server } = await context.withToken(adoptable.server, token)
  const view = await api.session.getSession()
  if (!view)
    throw signedOutError(`The token is not a valid session of ${server}`, 'Is it expired, or of another service?')
  const account = accountRefOf(server, canonicalEmail(view.user.email))
  const replaced = isNew === true ? await replacedToken(context, account, { server, session: view.session }) : undefined
  await context.accounts.adopt(account, token)
  await context.accounts.choose(account)
  // Ended only now: other processes use the old session until the new one is stored.
  const isReplaced =
    replaced !== undefined && (await endSession(() => context.withToken(server, replaced))) === undefined
  return { ...signedInResult(view.user, isReplaced), leadsHome: true }
}

/** The token of the session that the new one replaces. Undefined if there is none, or the service cannot be asked. */
async function replacedToken(
  context: FlowContext,
  account: AccountRef,
  { server, session }: { readonly server: string; readonly session: SessionView['session'] },
): Promise<string | undefined> {
  const token = await context.accounts.token(account)
  if (token === undefined) return undefined
  const { api } = await context.withToken(server, token)
  const before = await api.session.getSession().catch(() => null)
  return before && before.session.id !== session.id ? token : undefined
}
