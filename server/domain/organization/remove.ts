import type { Input, Output } from '../../../shared/contract/call.ts'
import type { remove as Call } from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteOrganization, findOrganization } from '../../db/organizations.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { runAfter, runBefore } from '../hooks.ts'
import { requireActor } from './actor.ts'
import { requirePermission } from './roles.ts'

/** Every check and the application's hook come before anything is changed. */
export async function remove(
  deps: Deps,
  client: Client,
  caller: Caller,
  { organizationId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const { config, sql } = deps
  const { beforeDeleteOrganization, afterDeleteOrganization } = config.extensions
  const actor = await requireActor(deps, caller, organizationId, { none: 'NOT_A_MEMBER', outsider: 'NOT_A_MEMBER' })
  requirePermission(config, actor, 'organization:delete', 'ORGANIZATION_DELETE_FORBIDDEN')
  if (!config.ORGANIZATION_DELETION) throw new Failure('ORGANIZATION_DELETION_OFF')
  const organization = beforeDeleteOrganization ? await findOrganization(sql, organizationId) : null
  if (organization) await runBefore(beforeDeleteOrganization, organization, caller.user)
  const about = { userId: caller.user.id, organizationId }
  const deleted = await tellWhenKept((act) =>
    deleteOrganization(sql, actor, client.event(act, 'organization-deleted', about)),
  )
  if (!deleted) throw new Failure('NOT_A_MEMBER')
  await runAfter(deps, afterDeleteOrganization, deleted, caller.user)
  return deleted
}
