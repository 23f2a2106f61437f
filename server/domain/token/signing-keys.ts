import type { Input, Output } from '../../../shared/contract/call.ts'
import type { getKeys as GetKeysCall, rotateKeys as RotateKeysCall } from '../../../shared/contract/token.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import { inLastTrip, inOneTrip, withCommit } from '../../db/connect.ts'
import { findPublishedKeys, lockAndFindNewestKey, signingKeyInserts } from '../../db/signing-keys.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requirePlatformPermission } from '../admin/permission.ts'
import { lockAndFind, requireActor } from '../admin/with-admin-right.ts'
import { createKey, immediateTimes, plannedTimes } from './add-due-key.ts'
import { getNewestKeyRing } from './key-ring.ts'

const right = { permission: 'key:rotate', failure: 'KEY_ROTATION_FORBIDDEN' } as const

/**
 * Makes a new key, which signs once every cached answer includes it. Asking again before then makes no other. With
 * `revoke`, no instance publishes the existing keys any more, and verifiers refuse their tokens once they have read
 * /jwks again. Until they read the keys again, the other instances may still sign with an old one.
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
  const published = await transactionWithEvents(deps.sql, room, async (tx) => {
    const involved = { sessionId: caller.session.id, userId: null }
    const [, { actor }, , newest] = await inOneTrip(tx, ...lockAndFind(involved), ...lockAndFindNewestKey)
    requireActor(deps, actor, right)
    if (newest.isPending && !revoke) return withCommit(tx, findPublishedKeys)
    const times = revoke || newest.id === null ? immediateTimes : plannedTimes(deps.config)
    const about = { userId: caller.user.id, target: key.id, count: revoke ? newest.count : 0 }
    const event = client.event(tx, 'keys-rotated', about)
    const inserts = signingKeyInserts(key, times, revoke)
    const [, , , , keys] = await inLastTrip(tx, ...inserts, (last) => insertAuditEvent(last, event), findPublishedKeys)
    return keys
  })
  deps.tokenMemory.forgetRing()
  return { keys: [...published] }
}

/** All keys that may have signed a living token, and those that will sign soon. */
export async function getKeys(deps: Deps): Promise<Output<typeof GetKeysCall>> {
  const { keys } = await getNewestKeyRing(deps)
  const time = deps.now().getTime()
  const published = keys.filter(({ publishedUntil }) => publishedUntil === null || publishedUntil > time)
  return { keys: published.map(({ publicKey }) => publicKey) }
}
