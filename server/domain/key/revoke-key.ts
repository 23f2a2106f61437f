import type { Input, Output } from '../../../shared/contract/call.ts'
import type { revokeKey as Call } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteKey, findKey } from '../../db/machine-keys.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { requirePermission } from '../organization/roles.ts'
import { keyView } from './authority.ts'
import { requireVisible } from './known-key.ts'

/** No request that begins after the answer is made by it. */
export async function revokeKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const revoked = await transaction(sql, async (tx) => {
    const found = await findKey(tx, keyId)
    if (found?.organizationId) await lockOrganization(tx, found.organizationId)
    const { key, actor } = await requireVisible(tx, config, caller, found)
    const { organizationId, userId } = key
    if (organizationId !== null) requirePermission(config, actor, 'member:delete', 'KEY_REVOKE_FORBIDDEN')
    const isGone =
      organizationId === null ? await deleteKey(tx, keyId) : await deleteMachine(tx, organizationId, userId)
    if (!isGone) throw new Failure('KEY_NOT_FOUND')
    await record(tx, client, 'key-revoked', { userId: caller.user.id, organizationId, target: keyId })
    return key
  })
  return keyView(config, revoked)
}
