import type { AuditEventView } from '../../shared/audit.ts'

/**
 * What is sent of an event. The id stays the same at every attempt. Equal events of a minute share a row whose count
 * grows, so the count belongs to the id: a receiver that ignores known ids would otherwise miss the later ones.
 */
export const messageOf = (event: AuditEventView): { readonly id: string; readonly body: string } => ({
  id: event.count === 1 ? event.id : `${event.id}.${event.count}`,
  body: JSON.stringify({ type: event.event, timestamp: event.lastAt, data: event }),
})
