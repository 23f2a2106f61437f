import type { Input, Output } from '../../../shared/contract/call.ts'
import type {
  remove as RemoveCall,
  setActive as SetActiveCall,
  update as UpdateCall,
} from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import {
  clearActiveOrganization,
  deleteOrganization,
  findOrganization,
  setActiveOrganization,
  updateOrganization,
} from '../../db/organizations.ts'
import { isFound, tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { runAfter, runBefore } from '../hooks.ts'
import { requireActor } from './actor.ts'
import { withoutTeams } from './hide-teams.ts'
import { parseMetadata } from './metadata.ts'
import { getFullOrganization } from './read.ts'
import { requirePermission } from './roles.ts'

export async function update(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  { data, organizationId }: Input<typeof UpdateCall>,
): Promise<Output<typeof UpdateCall>> {
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
  const updated = await tellWhenKept((act) => {
    const event = client.event(act, 'organization-updated', about)
    return updateOrganization(deps.sql, actor, change, event)
  }, isFound)
  if (!updated) throw new Failure('NOT_A_MEMBER')
  return updated
}

/** Every check and the application's hook come before anything is changed. */
export async function remove(
  deps: Deps,
  client: Client,
  caller: Caller,
  { organizationId }: Input<typeof RemoveCall>,
): Promise<Output<typeof RemoveCall>> {
  const { config, sql } = deps
  const { beforeDeleteOrganization, afterDeleteOrganization } = config.extensions
  const actor = await requireActor(deps, caller, organizationId, { none: 'NOT_A_MEMBER', outsider: 'NOT_A_MEMBER' })
  requirePermission(config, actor, 'organization:delete', 'ORGANIZATION_DELETE_FORBIDDEN')
  if (!config.ORGANIZATION_DELETION) throw new Failure('ORGANIZATION_DELETION_OFF')
  const organization = beforeDeleteOrganization ? await findOrganization(sql, organizationId) : null
  if (organization) await runBefore(beforeDeleteOrganization, organization, caller.user)
  const about = { userId: caller.user.id, organizationId }
  const deleted = await tellWhenKept((act) => {
    const event = client.event(act, 'organization-deleted', about)
    return deleteOrganization(sql, actor, event)
  }, isFound)
  if (!deleted) throw new Failure('NOT_A_MEMBER')
  await runAfter(deps, afterDeleteOrganization, deleted, caller.user)
  return deleted
}

/** `null` chooses none; without an id and a slug the active one is chosen again. A refusal changes nothing. */
export async function setActive(
  deps: Deps,
  caller: Caller,
  input: Input<typeof SetActiveCall>,
): Promise<Output<typeof SetActiveCall>> {
  const { organizationId, organizationSlug } = input
  if (organizationId === null && organizationSlug === undefined) {
    await clearActiveOrganization(deps.sql, caller.session.id)
    return null
  }
  const chosen = { organizationId: organizationId ?? undefined, organizationSlug }
  const organization = await getFullOrganization(deps, caller, chosen)
  if (!organization) return null
  const isChosen = await setActiveOrganization(deps.sql, caller.session, organization.id)
  if (!isChosen) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return withoutTeams(organization)
}
