import type { Input, Output } from '../../../shared/contract/call.ts'
import type { rotateKey as Call } from '../../../shared/contract/key.ts'
import { Failure } from '../../../shared/failure.ts'
import { usualOverlap } from '../../../shared/machine-key.ts'
import type { Config } from '../../config.ts'
import { createMachineKey, hintOf } from '../../crypto/machine-key.ts'
import { digestOf } from '../../crypto/token.ts'
import { findKey, lockKey, rotateKey as write } from '../../db/machine-keys.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFresh } from '../../request/way-in.ts'
import { record } from '../audit/record.ts'
import { can, requireAllowed } from '../organization/roles.ts'
import { keyView } from './authority.ts'
import { type KnownKey, requireVisible } from './known-key.ts'
import { mayMake, requireLive } from './rights.ts'

/** One after the other: of two at the same time each gets a secret, and the second ends what the first made. */
export async function rotateKey(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { keyId, overlap = usualOverlap, expiresIn }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const by = caller.key ?? requireFresh(caller)
  if (expiresIn !== undefined && expiresIn > config.KEY_MAX_AGE) throw new Failure('KEY_LIFE_TOO_LONG')
  const token = createMachineKey()
  const rotation = { by, hash: digestOf(token), hint: hintOf(token), overlap, seconds: expiresIn ?? null }
  const rotated = await transaction(sql, async (tx) => {
    // Before the key, as whoever ends both.
    await requireLive(tx, caller)
    const locked = await lockKey(tx, keyId, caller.key && !caller.key.isKey ? caller.key.id : null)
    const known = await requireVisible(tx, config, caller, locked)
    if (caller.key && expiresIn !== undefined) throw new Failure('KEY_ROTATE_FORBIDDEN')
    requireAllowed(known.actor, (actor) => mayRotate(config, { ...known, actor }), 'KEY_ROTATE_FORBIDDEN')
    if (!locked?.isNamed) throw new Failure('KEY_ROTATE_UNNAMED')
    // What was given then would never work.
    if (!(await write(tx, keyId, rotation))) throw new Failure('KEY_EXPIRED')
    const { organizationId } = known.key
    await record(tx, client, 'key-rotated', { userId: caller.user.id, organizationId, target: keyId, overlap })
    return findKey(tx, keyId)
  })
  if (!rotated) throw new Failure('KEY_NOT_FOUND')
  return { ...keyView(config, rotated), token }
}

/** Whoever rotates a key has it in hands: that of an organization only who may replace it, and it covers no more than they do. */
function mayRotate(config: Config, { key, actor }: KnownKey): boolean {
  if (key.organizationId === null) return true
  return can(config, actor, 'member:delete') && mayMake(config, actor, key.role ?? [])
}
