import type { AuditEventName } from '../../shared/audit-events.ts'
import { AuditRoom, createAuditEvent, type PendingAuditEvent } from '../request/audit-event.ts'
import type { Client } from '../request/client.ts'
import type { SecurityEvents } from '../request/security-events.ts'

const origin = {
  actorId: null,
  impersonatorId: null,
  keyId: null,
  isServer: false,
  address: '',
  userAgent: '',
  label: null,
  requestId: 'test',
}

/** An event that no log is told of. */
export const testEvent = <E extends AuditEventName>(name: E, facts: SecurityEvents[E]): PendingAuditEvent =>
  createAuditEvent(name, facts, origin)

/** What a request of nobody is to a use case, for what is tested without one. */
export const testClient = (): Client => ({
  address: '',
  userAgent: '',
  label: null,
  language: null,
  token: null,
  isImported: false,
  isOutdated: false,
  deviceMarks: [],
  keptTokens: [],
  heldTokens: [],
  hasRoomFor: () => false,
  signedUpWith: null,
  keepSignUp: () => {},
  isForgetful: false,
  isServer: false,
  event: (_act, name, facts) => testEvent(name, facts),
  requireRoom: (_organizationId, ...names) => new AuditRoom(names),
  note: () => undefined,
  identify: () => undefined,
})
