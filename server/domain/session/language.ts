import { isMachineKey } from '../../../shared/key-text.ts'
import { within } from '../../../shared/within.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import { resolveSession } from './resolve.ts'

/** Milliseconds that a page waits to learn its language. */
const patience = 1000

/**
 * The language of the person whose browser opens a page. Null for a visitor, and in an impersonation, where somebody
 * else reads the page. A page never fails for it.
 */
export async function languageOfVisitor(deps: Deps, { token, isImported }: Client): Promise<string | null> {
  if (token === null || isMachineKey(token)) return null
  const look = { mayExtend: false, client: { isOutdated: false, isImported, isForgetful: false } }
  try {
    const found = await within(patience, resolveSession(deps, token, look), () => null)
    return found === null || found.caller.session.impersonatedBy !== null ? null : found.caller.user.language
  } catch {
    return null
  }
}
