import type { Output } from '../../../shared/contract/call.ts'
import type { revokeSessions as Call } from '../../../shared/contract/session.ts'
import { toldTransaction } from '../../db/transaction.ts'
import { deleteUserSessions, lockUser } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import { learn } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Ends every session of the caller, the current one too, and every key of their own. */
export const revokeSessions = (deps: Deps, client: Client, { user }: Caller): Promise<Output<typeof Call>> =>
  endAll(deps, client, user.id, null)

/** Ends every session of the caller but the current one, and every key of their own. */
export const revokeOtherSessions = (
  deps: Deps,
  client: Client,
  { user, session }: Caller,
): Promise<Output<typeof Call>> => endAll(deps, client, user.id, session.id)

async function endAll({ sql, revocations }: Deps, client: Client, userId: string, except: string | null) {
  const ended = await toldTransaction(sql, client.requireRoom(null, 'sessions-revoked'), async (tx) => {
    await lockUser(tx, userId)
    const event = client.event(tx, 'sessions-revoked', { userId, count: 0 })
    const gone = await deleteUserSessions(tx, userId, except, event)
    learn(event, { count: gone.length })
    return gone
  })
  revocations.add(ended)
  return { status: true }
}
