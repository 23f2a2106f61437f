import type { signOut as Call } from '../../../shared/contract/account.ts'
import type { Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { isMachineKey } from '../../../shared/key-text.ts'
import { digestOf } from '../../crypto/token.ts'
import { deleteSessionByHash } from '../../db/sessions.ts'
import { isFound, tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { learn } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'

/** Ends the session of the token that came along; a session that is gone already is no failure. */
export async function signOut({ sql, revocations }: Deps, client: Client): Promise<Output<typeof Call>> {
  const { token } = client
  if (token === null) throw new Failure('NO_SESSION_TO_END')
  // What it stands for would go on: a key is revoked by a person.
  if (isMachineKey(token)) throw new Failure('KEY_FORBIDDEN')
  const ended = await tellWhenKept(async (act) => {
    const event = client.event(act, 'sign-out-done', { userId: null })
    const gone = await deleteSessionByHash(sql, digestOf(token), event)
    if (gone) learn(event, { userId: gone.userId })
    return gone
  }, isFound)
  if (ended) revocations.add([ended.id])
  return { success: true }
}
