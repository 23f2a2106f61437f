import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Driver, Sql } from '../../db/connect.ts'
import { createAuditEvent, noRequest } from '../../request/audit-event.ts'
import type { Counts } from './import-records.ts'
import type { SourceRequest } from './open-source.ts'

/** Writes what a run or a batch of it stored into the trail: nobody asked the service for it. */
export async function noteImport(
  tx: Driver,
  stored: Counts,
  asked: SourceRequest,
  administrators: number,
): Promise<void> {
  const count = Object.values(stored).reduce((sum, each) => sum + each, 0)
  const { user: users, organization: organizations, session: sessions } = stored
  const facts = { userId: null, source: nameOf(asked), count, users, organizations, sessions, administrators } as const
  await insertAuditEvent(tx as unknown as Sql, createAuditEvent('records-imported', facts, origin))
}

function nameOf(asked: SourceRequest) {
  if (asked.kind === 'export') return asked.product
  return asked.kind === 'stream' ? 'file' : asked.kind
}

const origin = { ...noRequest, userAgent: 'postern import' }
