import type { Input, Output } from '../../../shared/contract/call.ts'
import type { rotateKey as RotateKeyCall } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { defaultOverlap } from '../../../shared/machine-key.ts'
import type { Config } from '../../config.ts'
import { createMachineKey, digestOf, keyHintOf } from '../../crypto/token.ts'
import { inLastTrip, inOneTrip, type Sql } from '../../db/connect.ts'
import {
  endSecrets,
  findKey,
  insertSecret,
  isNewestSecret,
  type LockedKey,
  lockKey,
  organizationOfKey,
} from '../../db/machine-keys.ts'
import { findActor } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFreshSession } from '../../request/sign-in-method-capability.ts'
import { can, requireAllowed } from '../organization/roles.ts'
import { requireAllowedLife } from './keys.ts'
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
  { sql, config, provenSessions }: Deps,
  client: Client,
  caller: Caller,
  { keyId, overlap = defaultOverlap, expiresIn }: Input<typeof RotateKeyCall>,
): Promise<Output<typeof RotateKeyCall>> {
  const by = caller.key ?? requireFreshSession(caller)
  const calling = callingSecret(client, caller, keyId)
  requireAllowedLife(config, expiresIn ?? 0)
  const token = createMachineKey()
  const secret = { hash: digestOf(token), hint: keyHintOf(token) }
  const rotation = { by, isSelf: calling !== null, ...secret, overlap, seconds: expiresIn ?? null }
  const rotated = await transactionWithEvents(sql, client.requireRoom(null, 'key-rotated'), async (tx) => {
    const { isLive, locked, member, isNewest } = await lockForRotation(tx, caller, keyId, calling)
    requireLiveSession(isLive)
    const known = requireVisibleKey(config, caller, locked, member)
    if (caller.key && expiresIn !== undefined) throw new Failure('KEY_ROTATE_FORBIDDEN')
    if (calling) requireSelfRotation(known, isNewest)
    else requireAllowed(known.actor, (actor) => mayRotate(config, { ...known, actor }), 'KEY_ROTATE_FORBIDDEN')
    requireRotatable(locked, rotation.seconds)
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
  // The first call with it counts as one of the same key.
  provenSessions.add(token, keyId)
  return { ...keyView(config, rotated), token }
}

/** The secret with which a key rotates itself. Null for any other caller. */
function callingSecret({ token }: Client, { key }: Caller, keyId: string): Buffer | null {
  if (!key?.isKey) return null
  if (key.id !== keyId) throw new Failure('KEY_ROTATE_FORBIDDEN')
  return digestOf(token ?? '')
}

async function lockForRotation(tx: Sql, caller: Caller, keyId: string, calling: Buffer | null) {
  const [, isLive, locked, member, isNewest] = await inOneTrip(
    tx,
    // Until the end nobody loses the membership that allows it.
    (one) => lockOrganization(one, organizationOfKey(one, keyId)),
    // Locks the session before the key. Every call that ends both uses this order.
    (one) => holdSession(one, caller),
    (one) => lockKey(one, keyId, caller.key && !caller.key.isKey ? caller.key.id : null),
    (one) => findActor(one, organizationOfKey(one, keyId), caller.user.id),
    (one) => isNewestSecret(one, keyId, calling),
  )
  return { isLive, locked, member, isNewest }
}

function requireRotatable(locked: LockedKey | null, seconds: number | null): void {
  if (!locked?.isNamed) throw new Failure('KEY_ROTATE_UNNAMED')
  // A new secret of an expired key would never work.
  if (locked.isExpired && seconds === null) throw new Failure('KEY_EXPIRED')
}

/**
 * A key that replaces its own secret gains nothing, so its roles and scopes play no part. Only the newest secret may: a
 * replaced one that leaked would otherwise renew itself for ever.
 */
function requireSelfRotation({ key }: VisibleKey, isNewest: boolean): void {
  const isSponsored = key.organizationId === null || key.sponsorRoles !== null
  if (!key.rotatesItself || !isSponsored) throw new Failure('KEY_ROTATE_FORBIDDEN')
  if (!isNewest) throw new Failure('KEY_SECRET_REPLACED')
}

/**
 * Whoever rotates a key gets hold of its secret. For an organization's key, the caller needs the permission to replace
 * it and every permission that the key has.
 */
function mayRotate(config: Config, { key, actor }: VisibleKey): boolean {
  if (key.organizationId === null) return true
  return can(config, actor, 'member:delete') && canCreateMachine(config, actor, key.role ?? [])
}
