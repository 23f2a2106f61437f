import type { Input, Output } from '../../../shared/contract/call.ts'
import type { update as Call } from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import { updateOrganization } from '../../db/organizations.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireActor } from './actor.ts'
import { parseMetadata } from './metadata.ts'
import { requirePermission } from './roles.ts'

export async function update(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { data, organizationId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  if (!caller) throw new Failure('USER_NOT_FOUND_UNAUTHORIZED')
  const { name, slug, logo, metadata } = data
  const change = {
    name,
    slug: slug?.toLowerCase(),
    logo,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata, ['data', 'metadata']),
  }
  const failures = { none: 'ORGANIZATION_NOT_FOUND', outsider: 'NOT_A_MEMBER' } as const
  const actor = await requireActor(deps, caller, organizationId, failures)
  requirePermission(deps.config, actor, 'organization:update', 'ORGANIZATION_UPDATE_FORBIDDEN')
  const fields = Object.keys(data).toSorted().join(',')
  const about = { userId: caller.user.id, organizationId: actor.organizationId, fields }
  const updated = await tellWhenKept((act) =>
    updateOrganization(deps.sql, actor, change, client.event(act, 'organization-updated', about)),
  )
  if (!updated) throw new Failure('NOT_A_MEMBER')
  return updated
}
