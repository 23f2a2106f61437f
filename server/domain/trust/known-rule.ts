import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/connect.ts'
import { type Actor, findActor } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { findRule, organizationOfRule, type StoredRule } from '../../db/trust-rules.ts'
import type { Caller } from '../../request/client.ts'
import { canSeeKeys } from '../key/rights.ts'

/** A rule that the caller may know of, behind the lock on its organization. One of others is as if it were not there. */
export async function requireKnownRule(
  tx: Sql,
  config: Config,
  { user }: Caller,
  trustId: string,
): Promise<{ readonly rule: StoredRule; readonly actor: Actor }> {
  await lockOrganization(tx, organizationOfRule(tx, trustId))
  const rule = await findRule(tx, trustId)
  if (!rule) throw new Failure('TRUST_NOT_FOUND')
  const actor = await findActor(tx, rule.organizationId, user.id)
  if (!actor || !canSeeKeys(config, actor)) throw new Failure('TRUST_NOT_FOUND')
  return { rule, actor }
}
