import type { signOut as SignOutCall } from '../../../shared/contract/account.ts'
import type { Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { isMachineKey } from '../../../shared/key-text.ts'
import { digestOf } from '../../crypto/token.ts'
import { inOneTrip, type Sql } from '../../db/connect.ts'
import { deleteSessionByHash } from '../../db/sessions.ts'
import { alwaysDone, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { addLateFacts, withdrawEvent } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'

/**
 * Ends the session of the token in the request, and the others that the same browser keeps: those of other accounts, and
 * an administrator's own one during an impersonation. A session that is already gone is no failure.
 */
export async function signOut({ sql, revocations }: Deps, client: Client): Promise<Output<typeof SignOutCall>> {
  const { token, heldTokens } = client
  // A key cannot sign out: what it stands for would remain, so a person has to revoke it.
  if (token !== null && isMachineKey(token)) throw new Failure('KEY_FORBIDDEN')
  const tokens = [...new Set([...(token === null ? [] : [token]), ...heldTokens])]
  if (tokens.length === 0) throw new Failure('NO_SESSION_TO_END')
  const ended = await logEventsOnceCommitted(async (act) => {
    const endings = tokens.map((one) => ({ one, event: client.event(act, 'sign-out-done', { userId: null }) }))
    const works = endings.map(
      ({ one, event }) =>
        (each: Sql) =>
          deleteSessionByHash(each, digestOf(one), event),
    )
    const gone = await inOneTrip(sql, ...works)
    for (const [index, { event }] of endings.entries()) {
      const found = gone[index]
      if (found) addLateFacts(event, { userId: found.userId })
      else withdrawEvent(event)
    }
    return gone.filter((one) => one !== null)
  }, alwaysDone)
  revocations.add(ended.map(({ id }) => id))
  return { success: true }
}
