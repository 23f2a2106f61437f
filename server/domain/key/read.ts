import type { Input, Output } from '../../../shared/contract/call.ts'
import type { listKeys as List, viewKey as View } from '../../../shared/contract/key.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import { listKeys as find, findKey } from '../../db/machine-keys.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { mapPage, maxRowsBy, type PageOf, readPageRequest } from '../../request/paging.ts'
import { requireActor } from '../organization/actor.ts'
import { requireAllowed } from '../organization/roles.ts'
import { keyView } from './authority.ts'
import { requireVisible } from './known-key.ts'
import { canSeeKeys } from './rights.ts'

/** Of an organization that is named, else the caller's own: what is active in a session decides nothing here. */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<PageOf<MachineKey>> {
  const page = readPageRequest(asked, maxRowsBy(deps.config.KEY_LIMIT))
  if (organizationId !== undefined) await requireKeyReader(deps, caller, organizationId)
  const owner = organizationId === undefined ? { userId: caller.user.id } : { organizationId }
  return mapPage(await find(deps.sql, owner, page), (key) => keyView(deps.config, key))
}

/** Refuses whoever may not see what signs in as a machine of an organization. */
export async function requireKeyReader(deps: Deps, caller: Caller, organizationId: string): Promise<void> {
  const failures = { none: 'NOT_A_MEMBER_FORBIDDEN', outsider: 'NOT_A_MEMBER_FORBIDDEN' } as const
  const actor = await requireActor(deps, caller, organizationId, failures)
  requireAllowed(actor, (as) => canSeeKeys(deps.config, as), 'KEY_LIST_FORBIDDEN')
}

export async function viewKey(
  { sql, config }: Deps,
  caller: Caller,
  { keyId }: Input<typeof View>,
): Promise<Output<typeof View>> {
  const { key } = await requireVisible(sql, config, caller, await findKey(sql, keyId))
  return keyView(config, key)
}
