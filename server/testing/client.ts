import { createAuditEvent } from '../request/audit-event.ts'
import type { Client } from '../request/client.ts'

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

/** What a request of nobody is to a use case, for what is tested without one. */
export const testClient = (): Client => ({
  address: '',
  userAgent: '',
  label: null,
  token: null,
  isOutdated: false,
  deviceMarks: [],
  signedUpWith: null,
  keepSignUp: () => {},
  isForgetful: false,
  isServer: false,
  event: (name, facts) => createAuditEvent(name, facts, origin),
  note: () => undefined,
  identify: () => undefined,
})
