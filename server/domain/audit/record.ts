import type { AuditEventName } from '../../../shared/audit-events.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'
import type { SecurityEvents } from '../../request/security-events.ts'

/** Tells of a refusal, which changes nothing that it could be written together with. */
export async function recordRefusal<E extends AuditEventName>(
  { sql }: Pick<Deps, 'sql'>,
  client: Client,
  name: E,
  facts: SecurityEvents[E],
): Promise<void> {
  const event = client.event(name, facts)
  await insertAuditEvent(sql, event)
  client.note(event)
}
