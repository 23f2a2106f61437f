import type { listAuditEvents as Call } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { requirePlatformPermission } from '../admin/permission.ts'
import { readTrail } from './read-trail.ts'

export async function listAuditEvents(
  deps: Deps,
  caller: Caller,
  asked: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  requirePlatformPermission(deps, caller, 'audit:list', 'AUDIT_LIST_FORBIDDEN')
  return readTrail(deps, { kind: 'all' }, asked)
}
