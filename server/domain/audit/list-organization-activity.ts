import type { listOrganizationActivity as Call } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { requireActor } from '../organization/actor.ts'
import { requirePermission } from '../organization/roles.ts'
import { readTrail } from './read-trail.ts'

/** For who may update the organization, in whatever set of roles. */
export async function listOrganizationActivity(
  deps: Deps,
  caller: Caller,
  { organizationId: named, ...asked }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const failures = { none: 'NO_ACTIVE_ORGANIZATION', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const actor = await requireActor(deps, caller, named, failures)
  requirePermission(deps.config, actor, 'organization:update', 'ACTIVITY_LIST_FORBIDDEN')
  return readTrail(deps, { kind: 'organization', userId: caller.user.id, organizationId: actor.organizationId }, asked)
}
