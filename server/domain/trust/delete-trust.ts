import type { Input, Output } from '../../../shared/contract/call.ts'
import type { deleteTrust as Call } from '../../../shared/contract/trust.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { record } from '../audit/record.ts'
import { ruleView } from '../key/authority.ts'
import { requirePermission } from '../organization/roles.ts'
import { requireKnownRule } from './known-rule.ts'

/** With its machine user, whose sessions end at once. A rule of others is as if it were not there. */
export async function deleteTrust(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { trustId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const deleted = await transaction(sql, async (tx) => {
    const { rule, actor } = await requireKnownRule(tx, config, caller, trustId)
    requirePermission(config, actor, 'member:delete', 'KEY_REVOKE_FORBIDDEN')
    if (!(await deleteMachine(tx, rule.organizationId, rule.userId))) throw new Failure('TRUST_NOT_FOUND')
    const { organizationId } = rule
    await record(tx, client, 'trust-deleted', { userId: caller.user.id, organizationId, target: trustId })
    return rule
  })
  return ruleView(config, deleted)
}
