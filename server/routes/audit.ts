import * as calls from '../../shared/contract/audit.ts'
import type { Deps } from '../deps.ts'
import { listActivity, listAuditEvents, listOrganizationActivity } from '../domain/audit/lists.ts'
import type { Mount } from '../http/mount.ts'

export const auditRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    listAuditEvents: ({ caller, input }) => listAuditEvents(deps, caller, input),
    listActivity: ({ caller, input }) => listActivity(deps, caller, input),
    listOrganizationActivity: ({ caller, input }) => listOrganizationActivity(deps, caller, input),
  })
