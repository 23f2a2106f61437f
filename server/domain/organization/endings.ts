import type { User } from '../../../shared/entities.ts'
import type { Organization } from '../../../shared/organization.ts'
import { listEndingOrganizations } from '../../db/organizations.ts'
import { conflictError } from '../../db/outage.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { PendingAuditEvent } from '../../request/audit-event.ts'
import type { Client } from '../../request/client.ts'
import { runAfterHook, runBeforeHook } from '../hooks.ts'

// An account takes along the organizations in which nobody else is a person. For the application's hooks and for the
// trail, they are deleted like any other, by whoever deletes the account (a removed sign-up: by itself).

/** Whose account takes organizations along, and who deletes it. */
interface AccountDeletion {
  readonly userId: string
  readonly by: User
}

/** The endings that the application's hook allowed. */
export interface AllowedEndings {
  readonly by: User
  /** Null when the application has no hook for them. */
  readonly organizations: readonly Organization[] | null
}

export async function runBeforeEndings(deps: Deps, { userId, by }: AccountDeletion): Promise<AllowedEndings> {
  const { beforeDeleteOrganization, afterDeleteOrganization } = deps.config.extensions
  // Only the application's hooks need the organizations before the locks.
  if (!beforeDeleteOrganization && !afterDeleteOrganization) return { by, organizations: null }
  const organizations = await listEndingOrganizations(deps.sql, userId)
  await Promise.all(organizations.map((ending) => runBeforeHook(beforeDeleteOrganization, ending, by)))
  return { by, organizations }
}

/** Announces the endings of the locked organizations `ids`. The hook must have been run for each of them. */
export function announceEndings(
  client: Client,
  tx: Tx<'organization-deleted'>,
  { by, organizations }: AllowedEndings,
  ids: readonly string[],
): PendingAuditEvent[] {
  const isAllowed = (id: string) => !organizations || organizations.some((allowed) => allowed.id === id)
  if (!ids.every(isAllowed)) throw conflictError('an organization was created or left meanwhile')
  return ids.map((organizationId) => client.event(tx, 'organization-deleted', { userId: by.id, organizationId }))
}

export async function runAfterEndings(
  deps: Deps,
  { by, organizations }: AllowedEndings,
  ended: readonly Pick<Organization, 'id'>[],
): Promise<void> {
  const { afterDeleteOrganization } = deps.config.extensions
  const ids = new Set(ended.map(({ id }) => id))
  const told = (organizations ?? []).filter(({ id }) => ids.has(id))
  await Promise.all(told.map((organization) => runAfterHook(deps, afterDeleteOrganization, organization, by)))
}
