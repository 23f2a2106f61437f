import type { Input, Output } from '../../../shared/contract/call.ts'
import type { getKeys as GetKeysCall, rotateKeys as RotateKeysCall } from '../../../shared/contract/token.ts'
import { deleteSigningKeys, findPublishedKeys, insertSigningKey, lockNewestKey } from '../../db/signing-keys.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requirePlatformPermission } from '../admin/permission.ts'
import { withAdminRight } from '../admin/with-admin-right.ts'
import { record } from '../audit/record.ts'
import { createKey, immediateTimes, plannedTimes } from './add-due-key.ts'
import { getKeyRing } from './key-ring.ts'

const right = { permission: 'key:rotate', failure: 'KEY_ROTATION_FORBIDDEN' } as const

/**
 * Makes a new key, which signs once every cached answer includes it. Asking again before then makes no other. With
 * `revoke`, all existing keys and the tokens they signed end as soon as the answer of /jwks is read again.
 */
export async function rotateKeys(
  deps: Deps,
  client: Client,
  caller: Caller,
  { revoke = false }: Input<typeof RotateKeysCall>,
): Promise<Output<typeof RotateKeysCall>> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const room = client.requireRoom(null, 'keys-rotated')
  const key = await createKey(deps)
  const published = await withAdminRight(deps, caller, { ...right, room }, async (tx) => {
    const newest = await lockNewestKey(tx)
    if (newest?.isPending && !revoke) return findPublishedKeys(tx)
    const ended = revoke ? await deleteSigningKeys(tx) : 0
    await insertSigningKey(tx, key, revoke || !newest ? immediateTimes : plannedTimes(deps.config))
    await record(tx, client, 'keys-rotated', { userId: caller.user.id, target: key.id, count: ended })
    return findPublishedKeys(tx)
  })
  deps.tokenMemory.forgetRing()
  return { keys: [...published] }
}

/** All keys that may have signed a living token, and those that will sign soon. */
export async function getKeys(deps: Deps): Promise<Output<typeof GetKeysCall>> {
  const { keys } = await getKeyRing(deps)
  const time = deps.now().getTime()
  const published = keys.filter(({ publishedUntil }) => publishedUntil === null || publishedUntil > time)
  return { keys: published.map(({ publicKey }) => publicKey) }
}
