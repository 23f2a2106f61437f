import type { Output } from '../../../shared/contract/call.ts'
import type { revokeSessions as Call } from '../../../shared/contract/session.ts'
import { deleteUserSessions } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Ends every session of the caller, the current one too. */
export const revokeSessions = (deps: Deps, client: Client, { user }: Caller): Promise<Output<typeof Call>> =>
  endAll(deps, client, user.id, null)

/** Ends every session of the caller but the current one. */
export const revokeOtherSessions = (
  deps: Deps,
  client: Client,
  { user, session }: Caller,
): Promise<Output<typeof Call>> => endAll(deps, client, user.id, session.id)

async function endAll({ sql, revocations }: Deps, client: Client, userId: string, except: string | null) {
  const ended = await deleteUserSessions(sql, userId, except)
  revocations.add(ended)
  client.note('sessions-revoked', { userId, count: ended.length })
  return { status: true }
}
