import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { sessionToken } from './sign-token.ts'

/** Proxies give all headers of an answer 4 to 8 KB; a longer token is to be had from its own call. */
const maxLength = 3072

/** The token that get-session sends along; null where there is none, since that is never a reason not to answer. */
export async function headerToken(deps: Deps, resolved: ResolvedSession): Promise<string | null> {
  // A token opens other services, which know nothing of the scopes of a key.
  if (!deps.config.JWT_HEADER || resolved.caller.key) return null
  try {
    const token = await sessionToken(deps, resolved)
    return token.length > maxLength ? null : token
  } catch (err) {
    deps.log.warn({ err, sessionId: resolved.caller.session.id }, 'get-session was answered without a token')
    return null
  }
}
