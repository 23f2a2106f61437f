import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import type { StoredKey } from '../../db/machine-keys.ts'
import { findActor } from '../../db/organization-actors.ts'
import type { Standing } from '../../db/standing.ts'
import type { Caller } from '../../request/client.ts'
import { canSeeKeys } from './rights.ts'

/** A key that the caller may know of, and what decides what they may do in its organization; nothing for a key of a person. */
export interface KnownKey {
  readonly key: StoredKey
  readonly actor: Standing
}

const nothing: Standing = { roles: [], sponsorRoles: null }

/**
 * One's own key; itself; or one of an organization, for whoever makes or ends keys there. Any other is as if it were not
 * there.
 */
export async function requireVisible(
  sql: Sql,
  config: Config,
  caller: Caller,
  key: StoredKey | null,
): Promise<KnownKey> {
  if (!key) throw new Failure('KEY_NOT_FOUND')
  if (key.organizationId === null) {
    if (key.userId !== caller.user.id) throw new Failure('KEY_NOT_FOUND')
    return { key, actor: nothing }
  }
  const actor = (await findActor(sql, key.organizationId, caller.user.id)) ?? nothing
  if (key.userId !== caller.user.id && !canSeeKeys(config, actor)) throw new Failure('KEY_NOT_FOUND')
  return { key, actor }
}
