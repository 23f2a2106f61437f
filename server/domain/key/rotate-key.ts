import type { Input, Output } from '../../../shared/contract/call.ts'
import type { rotateKey as RotateKeyCall } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { defaultOverlap } from '../../../shared/machine-key.ts'
import type { Config } from '../../config.ts'
import { createMachineKey, digestOf, keyHintOf } from '../../crypto/token.ts'
import { inLastTrip, inOneTrip } from '../../db/connect.ts'
import { endSecrets, findKey, insertSecret, lockKey, organizationOfKey } from '../../db/machine-keys.ts'
import { findActor } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession } from '../../request/sign-in-method-capability.ts'
import { can, requireAllowed } from '../organization/roles.ts'
import {
  canCreateMachine,
  holdSession,
  keyView,
  requireLiveSession,
  requireStored,
  requireVisibleKey,
  type VisibleKey,
} from './rights.ts'

/** Concurrent rotations run one after the other: each gets a secret, and the second ends the first one's. */
export async function rotateKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId, overlap = defaultOverlap, expiresIn }: Input<typeof RotateKeyCall>,
): Promise<Output<typeof RotateKeyCall>> {
  const by = caller.key ?? requireFreshSession(caller)
  if (expiresIn !== undefined && expiresIn > config.KEY_MAX_AGE) throw new Failure('KEY_LIFE_TOO_LONG')
  const token = createMachineKey()
  const rotation = { by, hash: digestOf(token), hint: keyHintOf(token), overlap, seconds: expiresIn ?? null }
  const rotated = await transactionWithEvents(sql, client.requireRoom(null, 'key-rotated'), async (tx) => {
    const [, isLive, locked, member] = await inOneTrip(
      tx,
      // Until the end nobody loses the membership that allows it.
      (one) => lockOrganization(one, organizationOfKey(one, keyId)),
      // Locks the session before the key. Every call that ends both uses this order.
      (one) => holdSession(one, caller),
      (one) => lockKey(one, keyId, caller.key && !caller.key.isKey ? caller.key.id : null),
      (one) => findActor(one, organizationOfKey(one, keyId), caller.user.id),
    )
    requireLiveSession(isLive)
    const known = requireVisibleKey(config, caller, locked, member)
    if (caller.key && expiresIn !== undefined) throw new Failure('KEY_ROTATE_FORBIDDEN')
    requireAllowed(known.actor, (actor) => mayRotate(config, { ...known, actor }), 'KEY_ROTATE_FORBIDDEN')
    if (!locked?.isNamed) throw new Failure('KEY_ROTATE_UNNAMED')
    // A new secret of an expired key would never work.
    if (locked.isExpired && rotation.seconds === null) throw new Failure('KEY_EXPIRED')
    const { organizationId } = known.key
    const about = { userId: caller.user.id, organizationId, target: keyId, overlap }
    const event = client.event(tx, 'key-rotated', about)
    const [, , stored] = await inLastTrip(
      tx,
      (last) => endSecrets(last, keyId, rotation, event),
      (last) => insertSecret(last, keyId, rotation),
      (last) => findKey(last, keyId),
    )
    return requireStored(stored)
  })
  return { ...keyView(config, rotated), token }
}

/**
 * Whoever rotates a key gets hold of its secret. For an organization's key, the caller needs the permission to replace
 * it and every permission that the key has.
 */
function mayRotate(config: Config, { key, actor }: VisibleKey): boolean {
  if (key.organizationId === null) return true
  return can(config, actor, 'member:delete') && canCreateMachine(config, actor, key.role ?? [])
}
