import type { AuditEventName } from '../../../shared/audit-events.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import { inLastTrip, type Sql } from '../../db/connect.ts'
import { alwaysDone, logEventsOnceCommitted, type Tx } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { PendingAuditEvent } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import type { SecurityEvents } from '../../request/security-events.ts'

/**
 * Does the last work of a transaction, which cannot fail by its own rules, and records it. Both travel with the commit.
 */
export async function finishRecorded<T, E extends AuditEventName>(
  tx: Tx<E>,
  event: PendingAuditEvent,
  work: (sql: Sql) => PromiseLike<T>,
): Promise<T> {
  const [done] = await inLastTrip(tx, work, (sql) => insertAuditEvent(sql, event))
  return done
}

/** Records a refusal. A refusal changes nothing, so there is no statement to combine it with. */
export async function recordRefusal<E extends AuditEventName>(
  { sql }: Pick<Deps, 'sql'>,
  client: Client,
  name: E,
  facts: SecurityEvents[E],
): Promise<void> {
  await logEventsOnceCommitted((act) => insertAuditEvent(sql, client.event(act, name, facts)), alwaysDone)
}
