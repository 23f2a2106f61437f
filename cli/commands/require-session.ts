import type { SessionView, User } from '../../shared/entities.ts'
import type { Connection } from '../client/connect.ts'
import type { Context } from '../context.ts'
import { signedOutError } from '../output/cli-error.ts'

/** `alice@example.com (Alice)`, or the address alone. */
export const userLabel = ({ email, name }: Pick<User, 'email' | 'name'>): string =>
  name ? `${email} (${name})` : email

/** The session of this run; exit 4 when the service no longer knows it. */
export async function requireSession(
  context: Context,
  { api, server }: Connection,
  query: { readonly disableCookieCache?: 'true' } = {},
): Promise<SessionView> {
  const view = await api.session.getSession(query)
  if (view) return view
  const { account, from } = await context.identity()
  throw account === undefined
    ? signedOutError(
        `The token of ${from} is no session of ${server}`,
        'Is it expired or revoked? Make a new one: postern sign-in',
      )
    : signedOutError(
        `The session of ${account} at ${server} has expired or was revoked`,
        `postern sign-in --email ${account}`,
      )
}
