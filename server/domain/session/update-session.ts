import type { Input, Output } from '../../../shared/contract/call.ts'
import type { updateSession as Call } from '../../../shared/contract/session.ts'
import { Failure } from '../../../shared/failure.ts'
import { cleanLabel } from '../../../shared/text-rules.ts'
import { updateLabel } from '../../db/sessions.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Changes the label of the current session. Any other session belongs to another device. */
export async function updateSession(
  { sql }: Deps,
  client: Client,
  { session, user }: Caller,
  { label }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (label === undefined) throw new Failure('NO_DATA_TO_UPDATE')
  const changed = await logEventsOnceCommitted(
    (act) =>
      updateLabel(sql, session.id, cleanLabel(label ?? ''), client.event(act, 'session-updated', { userId: user.id })),
    isRowFound,
  )
  if (!changed) throw new Failure('UNAUTHORIZED')
  return { session: { ...session, ...changed } }
}
