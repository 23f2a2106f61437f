import { Failure } from '../../../shared/failure.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import { findActor } from '../../db/organization-actors.ts'
import type { Caller } from '../../request/client.ts'
import { canSeeKeys } from './rights.ts'

/** A key that the caller may know of, with the roles that they have in its organization; none for a key of a person. */
export interface KnownKey {
  readonly key: MachineKey
  readonly held: readonly string[]
}

/**
 * One's own key; itself; or one of an organization, for whoever makes or ends keys there. Any other is as if it were not
 * there.
 */
export async function requireVisible(
  sql: Sql,
  config: Config,
  caller: Caller,
  key: MachineKey | null,
): Promise<KnownKey> {
  if (!key) throw new Failure('KEY_NOT_FOUND')
  if (key.organizationId === null) {
    if (key.userId !== caller.user.id) throw new Failure('KEY_NOT_FOUND')
    return { key, held: [] }
  }
  const held = (await findActor(sql, key.organizationId, caller.user.id))?.roles ?? []
  if (key.userId !== caller.user.id && !canSeeKeys(config, held)) throw new Failure('KEY_NOT_FOUND')
  return { key, held }
}
