import type { Input, Output } from '../../../shared/contract/call.ts'
import type { adoptKey as Call } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { findKey, organizationOfKey } from '../../db/machine-keys.ts'
import { setSponsor } from '../../db/machine-users.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFresh } from '../../request/way-in.ts'
import { keyView } from './authority.ts'
import { requireVisible } from './known-key.ts'
import { requireAdopter, requireLive } from './rights.ts'

/** The key gets no more than the caller may, now or ever. */
export async function adoptKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const sponsor = requireFresh(caller)
  const adopted = await transaction(sql, async (tx) => {
    await lockOrganization(tx, organizationOfKey(tx, keyId))
    const { key, actor } = await requireVisible(tx, config, caller, await findKey(tx, keyId))
    const { organizationId, userId, role, sponsorId: from } = key
    if (organizationId === null) throw new Failure('KEY_ADOPT_FORBIDDEN')
    requireAdopter(config, actor, role ?? [])
    await requireLive(tx, caller)
    if (from === sponsor.userId) return key
    const about = { userId: caller.user.id, organizationId, target: keyId, from }
    await setSponsor(tx, userId, sponsor, client.event(tx, 'key-adopted', about))
    return findKey(tx, keyId)
  })
  if (!adopted) throw new Failure('KEY_NOT_FOUND')
  return keyView(config, adopted)
}
