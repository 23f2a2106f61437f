import type { Input, Output } from '../../../shared/contract/call.ts'
import type { revokeSession as Call } from '../../../shared/contract/session.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import { deleteSession } from '../../db/sessions.ts'
import { toldTransaction } from '../../db/transaction.ts'
import { lockUser } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Ends one session of the caller, named by its token or its handle. */
export async function revokeSession(
  deps: Deps,
  client: Client,
  { user }: Caller,
  { token }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { id } = await toldTransaction(deps.sql, client.requireRoom(null, 'sessions-revoked'), async (tx) => {
    await lockUser(tx, user.id)
    const event = client.event(tx, 'sessions-revoked', { userId: user.id, count: 1 })
    const gone = await deleteSession(tx, { userId: user.id, tokenHash: digestOf(token), handle: token, event })
    if (!gone) throw new Failure('SESSION_NOT_FOUND')
    if (gone.userId !== user.id) throw new Failure('UNAUTHORIZED')
    return gone
  })
  deps.revocations.add([id])
  return { status: true }
}
