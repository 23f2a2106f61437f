import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/session.ts'
import { Failure } from '../../../shared/failure.ts'
import { cleanLabel } from '../../../shared/text-rules.ts'
import { digestOf } from '../../crypto/token.ts'
import { inLastTrip, type Sql } from '../../db/connect.ts'
import { deleteSession, updateLabel } from '../../db/sessions.ts'
import { inSharedTrip } from '../../db/shared-trips.ts'
import { isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import { deleteUserSessions, listUserSessions, lockUser } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import { addLateFacts } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'

/** Ends one of the caller's sessions, named by its token or its handle. */
export async function revokeSession(
  deps: Deps,
  client: Client,
  { user }: Caller,
  { token }: Input<typeof calls.revokeSession>,
): Promise<Output<typeof calls.revokeSession>> {
  const { id } = await transactionWithEvents(deps.sql, client.requireRoom(null, 'sessions-revoked'), async (tx) => {
    const event = client.event(tx, 'sessions-revoked', { userId: user.id, count: 1 })
    const end = { userId: user.id, tokenHash: digestOf(token), handle: token, event }
    const [, gone] = await inLastTrip(
      tx,
      (sql) => lockUser(sql, user.id),
      (sql) => deleteSession(sql, end),
    )
    // Clients of 1.7 take an unknown session for an ended one, and learn nothing of those of other people.
    const isHidden = gone?.userId !== user.id && deps.config.CLIENT_API !== '1.2'
    if (!gone || isHidden) throw new Failure('SESSION_NOT_FOUND')
    if (gone.userId !== user.id) throw new Failure('UNAUTHORIZED')
    return gone
  })
  deps.revocations.add([id])
  return { status: true }
}

/** Ends all sessions of the caller, the current one included, and all their personal keys. */
export const revokeSessions = (
  deps: Deps,
  client: Client,
  { user }: Caller,
): Promise<Output<typeof calls.revokeSessions>> => endAll(deps, client, user.id, null)

/** Ends all sessions of the caller except the current one, and all their personal keys. */
export const revokeOtherSessions = (
  deps: Deps,
  client: Client,
  { user, session }: Caller,
): Promise<Output<typeof calls.revokeSessions>> => endAll(deps, client, user.id, session.id)

async function endAll({ sql, revocations }: Deps, client: Client, userId: string, except: string | null) {
  const ended = await transactionWithEvents(sql, client.requireRoom(null, 'sessions-revoked'), async (tx) => {
    const event = client.event(tx, 'sessions-revoked', { userId, count: 0 })
    const [, gone] = await inLastTrip(
      tx,
      (one) => lockUser(one, userId),
      (one) => deleteUserSessions(one, userId, except, event),
    )
    addLateFacts(event, { count: gone.length })
    return gone
  })
  revocations.add(ended)
  return { status: true }
}

/** So many are a short read. */
const fewSessions = 100

/** Other sessions show a handle in place of their token, so that one stolen session cannot read the others. */
export async function listSessions(
  { sql, config }: Deps,
  { session, user }: Caller,
): Promise<Output<typeof calls.listSessions>> {
  const list = (one: Sql) => listUserSessions(one, user.id)
  const rows = await (config.SESSION_LIMIT <= fewSessions ? inSharedTrip(sql, list) : list(sql))
  // Before the spread: V8 is slow to add fields after one.
  return rows.map((row) => ({ token: row.id === session.id ? session.token : row.id, ...row }))
}

/** Changes the label of the current session. Any other session belongs to another device. */
export async function updateSession(
  { sql }: Deps,
  client: Client,
  { session, user }: Caller,
  { label }: Input<typeof calls.updateSession>,
): Promise<Output<typeof calls.updateSession>> {
  if (label === undefined) throw new Failure('NO_DATA_TO_UPDATE')
  const changed = await logEventsOnceCommitted(
    (act) =>
      updateLabel(sql, session.id, cleanLabel(label ?? ''), client.event(act, 'session-updated', { userId: user.id })),
    isRowFound,
  )
  if (!changed) throw new Failure('UNAUTHORIZED')
  return { session: { ...session, ...changed } }
}
