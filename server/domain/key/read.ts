import type { Input, Output } from '../../../shared/contract/call.ts'
import type { listKeys as List, viewKey as View } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import { listKeys as find, findKey } from '../../db/machine-keys.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { maxRowsBy, type PageOf, readPageRequest } from '../../request/paging.ts'
import { requireActor } from '../organization/actor.ts'
import { requireVisible } from './known-key.ts'
import { canSeeKeys } from './rights.ts'

/** Of an organization that is named, else the caller's own: what is active in a session decides nothing here. */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<PageOf<MachineKey>> {
  const page = readPageRequest(asked, maxRowsBy(deps.config.KEY_LIMIT))
  if (organizationId === undefined) return find(deps.sql, { userId: caller.user.id }, page)
  await requireKeyReader(deps, caller, organizationId)
  return find(deps.sql, { organizationId }, page)
}

/** Refuses whoever may not see what signs in as a machine of an organization. */
export async function requireKeyReader(deps: Deps, caller: Caller, organizationId: string): Promise<void> {
  const failures = { none: 'NOT_A_MEMBER_FORBIDDEN', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const { roles } = await requireActor(deps, caller, organizationId, failures)
  if (!canSeeKeys(deps.config, roles)) throw new Failure('KEY_LIST_FORBIDDEN')
}

export async function viewKey(
  { sql, config }: Deps,
  caller: Caller,
  { keyId }: Input<typeof View>,
): Promise<Output<typeof View>> {
  const { key } = await requireVisible(sql, config, caller, await findKey(sql, keyId))
  return key
}
