import type { SessionView } from '../../shared/entities.ts'
import { isMachineKey } from '../../shared/key-text.ts'
import type { Connection } from '../client/connection.ts'
import type { Context } from '../context.ts'
import { impersonationOverError } from '../flows/admin/impersonation.ts'
import { signInLine } from '../flows/auth/sign-in-line.ts'
import { keyRefusedError, signedOutError } from '../output/cli-error.ts'

/** Returns the session of this run. Exit 4 if the service no longer knows it. */
export async function requireSession(
  context: Context,
  { api, server }: Pick<Connection, 'api' | 'server'>,
  query: { readonly disableCookieCache?: 'true' } = {},
): Promise<SessionView> {
  const view = await api.session.getSession(query)
  if (view) return view
  const { account, from, token = '' } = await context.identity()
  if (isMachineKey(token)) throw keyRefusedError()
  const impersonation = account && (await context.accounts.impersonation(account))
  if (impersonation) throw impersonationOverError(impersonation.email)
  throw account === undefined
    ? signedOutError(
        `The token of ${from} is not a valid session of ${server}`,
        `It may be expired or revoked. Put a new one there, or remove it and sign in: ${signInLine()}`,
      )
    : signedOutError(
        `The session of ${account.email} at ${server} has expired or was revoked`,
        signInLine(account.email),
      )
}
