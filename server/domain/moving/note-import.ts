import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Driver, Sql } from '../../db/connect.ts'
import { createAuditEvent } from '../../request/audit-event.ts'
import type { ImportSummary } from './import-records.ts'
import type { SourceRequest } from './open-source.ts'

/** Writes the run into the trail: nobody asked the service for it. */
export async function noteImport(
  tx: Driver,
  { stored }: ImportSummary,
  { kind }: SourceRequest,
  administrators: number,
): Promise<void> {
  const count = Object.values(stored).reduce((sum, each) => sum + each, 0)
  const { user: users, organization: organizations, session: sessions } = stored
  const source = kind === 'better-auth' ? 'better-auth' : 'file'
  const facts = { userId: null, source, count, users, organizations, sessions, administrators } as const
  await insertAuditEvent(tx as unknown as Sql, createAuditEvent('records-imported', facts, origin))
}

/** There is no request: this is a command on the machine itself. */
const origin = {
  actorId: null,
  impersonatorId: null,
  keyId: null,
  isServer: false,
  address: '',
  userAgent: 'postern import',
  label: null,
  requestId: 'local',
}
